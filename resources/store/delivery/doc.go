// Package delivery has the slots in which orders are delivered, and the addresses to
// which they go.
package delivery
