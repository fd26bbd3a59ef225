// Package history records who changed which row, when, and by which request, with the old and the new
// values, in the transaction of the change. It reads the entries of one row, and those of all rows in the
// order in which their transactions are safe to follow.
package history
