// Package index finds the indexes, the columns and the search documents that the declarations
// need and the database lacks.
package index
