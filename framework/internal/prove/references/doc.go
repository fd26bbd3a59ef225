// Package references sends bodies and paths that have keys and values of rows of others: in references, in lists of related
// rows, in fields of functions, and in usual members.
package references
