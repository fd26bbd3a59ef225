// Package table has resources: declarations that know their columns. A resource narrows
// statements by its scope, orders and searches rows, and stores them.
package table
