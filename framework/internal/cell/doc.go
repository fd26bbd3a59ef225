// Package cell converts the values of columns: into parameters of statements, from the rows of results, and into fields of a row.
package cell
