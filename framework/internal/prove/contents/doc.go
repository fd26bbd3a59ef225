// Package contents reads the rows of every table of a database during a proof, and finds what differs between two readings.
package contents
