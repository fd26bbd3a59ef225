// Package rowtext writes the rows of a list, which are JSON objects, as text: as CSV with a column for each member, or as lines of JSON.
package rowtext
