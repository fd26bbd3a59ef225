package call

import (
	"net/http"

	"github.com/google/uuid"
)

// A Caller is who sends a request. The zero Caller is anonymous.
//
// A Caller is made once per request and not changed afterwards.
type Caller struct {
	ID          uuid.UUID
	Email       string
	Name        string
	Staff       bool
	Superuser   bool            // holds every permission
	Permissions map[string]bool // those it holds, by names as [IsPermissionName] has them: "patients.view"
	Scheme      string          // the authenticator that identified it: "Token"
}

// Anonymous reports whether nobody was identified.
func (c *Caller) Anonymous() bool { return c == nil || c.ID == uuid.Nil }

// Holds reports whether the caller has a permission such as "patients.view".
// A superuser holds every permission; being staff alone holds none.
func (c *Caller) Holds(permission string) bool {
	return !c.Anonymous() && (c.Superuser || c.Permissions[permission])
}

// An Authenticator recognises one kind of credentials. The framework asks its
// authenticators in turn; the first that finds credentials of its kind decides.
// Implementations are used by many requests at once.
//
// frameworktest.TestAuthenticator checks an implementation of your own.
type Authenticator interface {
	// Authenticate returns the caller whom the request's credentials name.
	// Without credentials of its kind it returns nil and no error, and the
	// next authenticator is asked. Credentials that are there and do not hold
	// are an error, best made by [InvalidCredentials]: they never fall back
	// to anonymous. It may read the database through c, and must not write.
	Authenticate(c *Call, r *http.Request) (*Caller, error)
	// Challenge is the value for WWW-Authenticate (RFC 9110 section 11.6.1),
	// such as `Token realm="api"`. Empty for none.
	Challenge() string
}
