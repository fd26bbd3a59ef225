package call

import (
	"encoding"
	"fmt"
	"net/http"
	"reflect"
	"strconv"

	"github.com/google/uuid"
)

// A Caller is the sender of a request. The zero Caller is anonymous.
//
// An [Authenticator] makes it. If none recognises the request, the framework makes an anonymous
// one, or rejects a request with a header Authorization with 401. The framework does not change
// a Caller that it has received, and functions must not change it.
type Caller struct {
	// ID is the caller's id in the type of its authenticator: a uuid.UUID, or the type that a
	// [Typed] authenticator states. [IDOf] returns it in that type. nil, or the zero value
	// of the type, is anonymous.
	ID          any
	Email       string
	Name        string
	Staff       bool
	Superuser   bool            // has every permission
	Permissions map[string]bool // the names of its permissions, such as "patients.view": see [IsPermissionName]
	Scheme      string          // the authenticator that identified the caller: "Token"
}

// Anonymous reports whether the caller was not identified.
func (c *Caller) Anonymous() bool {
	if c == nil || c.ID == nil {
		return true
	}
	switch id := c.ID.(type) {
	case uuid.UUID:
		return id == uuid.Nil
	case int64:
		return id == 0
	case string:
		return id == ""
	}
	return reflect.ValueOf(c.ID).IsZero()
}

// IDText returns the id as text, for logs and for counting: a number in decimal digits, a
// string as it is, and a type such as uuid.UUID by its MarshalText. Two ids of one type have
// different texts. It is empty for an anonymous caller.
func (c *Caller) IDText() string {
	if c.Anonymous() {
		return ""
	}
	switch id := c.ID.(type) {
	case uuid.UUID:
		return id.String()
	case encoding.TextMarshaler:
		if text, err := id.MarshalText(); err == nil {
			return string(text)
		}
	}
	switch v := reflect.ValueOf(c.ID); {
	case v.Kind() == reflect.String:
		return v.String()
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return fmt.Sprintf("%#v", c.ID)
}

// IDOf returns the id of the caller of c in its own type:
//
//	note.OwnerID = framework.IDOf[uuid.UUID](c)
//
// For an anonymous caller it returns the zero value. It panics if the id has another type,
// because the function would then treat the caller as another one.
func IDOf[ID comparable](c *Call) ID {
	id, ok := c.Caller.ID.(ID)
	if !ok && !c.Caller.Anonymous() {
		panic(fmt.Sprintf("framework.IDOf[%s]: the caller's id is a %T; use IDOf with that type", reflect.TypeFor[ID](), c.Caller.ID))
	}
	return id
}

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

// A Typed is an [Authenticator] that states the type of its callers' ids, for users whose ids
// are not uuid.UUID. All authenticators of an API must state one type, and the columns of
// framework.Own must have it.
type Typed interface {
	Authenticator
	// CallerID returns the type of [Caller.ID]: an integer, a string, or a type that
	// implements encoding.TextMarshaler. It must not change.
	CallerID() reflect.Type
}

// IDTypeOf returns the type of the ids of an authenticator's callers: that of [Typed], or that
// of the authenticator which its method Unwrap returns, or else uuid.UUID.
func IDTypeOf(a Authenticator) reflect.Type {
	switch a := a.(type) {
	case Typed:
		return a.CallerID()
	case interface{ Unwrap() Authenticator }:
		return IDTypeOf(a.Unwrap())
	}
	return reflect.TypeFor[uuid.UUID]()
}
