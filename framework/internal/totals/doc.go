// Package totals computes totals of the rows of a list, such as their number and their sums, for each value of some fields.
package totals
