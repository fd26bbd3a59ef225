// Package lists compares what callers read before and after the rows of others change: in lists with each order, parameter, page,
// cursor, export and total.
package lists
