// Package rowset inserts, changes and deletes several rows of a viewset by one statement for each, and
// finds the row that breaks a constraint.
package rowset
