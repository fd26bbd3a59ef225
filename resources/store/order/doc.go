// Package order has the orders of the store: it places them, books their delivery
// slots, cancels them, and takes them through their statuses for staff.
package order
