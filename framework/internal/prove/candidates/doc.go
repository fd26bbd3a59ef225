// Package candidates finds what the requests of a proof can name: rows that their sender may use, rows that it may not see, keys of
// the rows above, and kinds of senders.
package candidates
