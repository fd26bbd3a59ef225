package exchange

import (
	"net/http"

	"trestle.example/framework/call"
)

// A Kind is a kind of caller.
type Kind struct {
	Name        string // "user"
	Email       string // at whose domain its address is; "" for any
	Staff       bool
	Superuser   bool
	Permissions []string
	// Rest says that it holds all permissions but those that the declarations of an endpoint name.
	Rest bool
}

// HoldsOne reports whether the caller is the holder of one permission, by which it is named.
func (k Kind) HoldsOne() bool { return len(k.Permissions) == 1 && k.Name == k.Permissions[0] }

// A Person is a caller whose requests the server identifies.
type Person struct {
	Kind

	Header http.Header  // that identifies them
	Caller *call.Caller // nil for the visitor
	At     int          // in the report's callers; that of a second user is that of the first
}
