// Package quota limits how many rows of a table one owner has.
package quota
