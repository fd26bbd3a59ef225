// Package access decides whether a call may go on: it identifies the caller, and checks
// throttles and permissions.
package access
