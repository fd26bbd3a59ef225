// Package query defines how a client can query a list: filters, ranked searches and pages.
// Package framework has an alias of each name that a program needs.
package query
