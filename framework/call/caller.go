package call

import (
	"net/http"

	"github.com/google/uuid"
)

// A Caller is the sender of a request. The zero Caller is anonymous.
//
// An [Authenticator] makes it. If none recognises the request, the framework makes an anonymous
// one, or rejects a request with a header Authorization with 401. The framework does not change
// a Caller that it has received, and functions must not change it.
type Caller struct {
	ID          uuid.UUID
	Email       string
	Name        string
	Staff       bool
	Superuser   bool            // has every permission
	Permissions map[string]bool // the names of its permissions, such as "patients.view": see [IsPermissionName]
	Scheme      string          // the authenticator that identified the caller: "Token"
}

// Anonymous reports whether the caller was not identified.
func (c *Caller) Anonymous() bool { return c == nil || c.ID == uuid.Nil }

// Holds reports whether the caller has a permission such as "patients.view". A superuser
// has every permission. Staff alone gives no permission.
func (c *Caller) Holds(permission string) bool {
	return !c.Anonymous() && (c.Superuser || c.Permissions[permission])
}

// An Authenticator recognises one kind of credentials. The framework calls its
// authenticators in turn until one returns a caller or an error. Implementations must be
// safe for concurrent use.
//
// frameworktest.TestAuthenticator checks your own implementation.
type Authenticator interface {
	// Authenticate returns the caller that the request's credentials identify. If the
	// request has no credentials of this kind, it returns nil and no error, and the next
	// authenticator is called. Invalid credentials are an error, best made by
	// [problem.InvalidCredentials]; such a request is never treated as anonymous.
	// Authenticate may read the database through c, and must not write.
	Authenticate(c *Call, r *http.Request) (*Caller, error)
	// Challenge returns the value for WWW-Authenticate (RFC 9110 section 11.6.1), such as
	// `Token realm="api"`, or "" for no challenge.
	Challenge() string
}
