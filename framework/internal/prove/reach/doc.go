// Package reach sends the requests for a row of one caller as the others: for the row itself, below it, below other rows than its
// own, and among several rows.
package reach
