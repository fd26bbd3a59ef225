// Package verb answers requests: it checks them, reads their bodies and query strings, and runs the
// verbs that read and write one row, and the functions of declarations.
package verb
