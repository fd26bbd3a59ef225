// Package rows has what all packages of the store need to read and write rows:
// queries that scan into models, inserts whose values are all parameters, and ids.
package rows
