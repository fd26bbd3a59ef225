// Package check sends the requests of a proof. It checks what a request changed and what its answer has, and adds findings to
// the report: rows and fields that are not the sender's.
package check
