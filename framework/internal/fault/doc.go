// Package fault makes the errors that only the framework itself answers with, and gathers
// the faults of a request.
package fault
