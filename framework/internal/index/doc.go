// Package index compares what the declarations need of the database, indexes, columns and
// search documents, with what it has.
package index
