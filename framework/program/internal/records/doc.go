// Package records has the command that removes values from the history of a row.
package records
