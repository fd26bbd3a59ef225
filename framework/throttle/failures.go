package throttle

import (
	"errors"
	"net/http"
	"reflect"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// Failures limits failed credentials per address. It returns the schemes wrapped for
// [framework.Config]. Invalid credentials are answered 401 as often as the limiter
// allows, and 429 after that. The last of the returned schemes counts an Authorization
// header that no other scheme accepts.
//
// Valid credentials always pass and are not counted. So neither an attacker nor one
// expired token locks out other callers at the same address. That is enough for
// credentials that cannot be guessed, such as tokens. A password can be guessed: limit
// its endpoint before the password is checked, with [Scoped] and [Limiter.Allow].
func Failures(l *Limiter, schemes ...framework.Authenticator) []framework.Authenticator {
	wrapped := make([]framework.Authenticator, 0, len(schemes)+1)
	for _, s := range schemes {
		wrapped = append(wrapped, &failures{s, l})
	}
	return append(wrapped, &failures{unknownCredentials{schemes}, l})
}

// failures counts the errors of status 401 of an authenticator.
type failures struct {
	framework.Authenticator

	limiter *Limiter
}

// Unwrap returns the scheme itself.
func (f *failures) Unwrap() framework.Authenticator { return f.Authenticator }

// Authenticate implements [framework.Authenticator]. It counts a 401 of the scheme for the
// address, and returns the 429 instead if the rate is used up. An error of the store also
// replaces the 401.
func (f *failures) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	caller, err := f.Authenticator.Authenticate(c, r)
	if rejected, ok := errors.AsType[*framework.Error](err); !ok || rejected.Status != http.StatusUnauthorized {
		return caller, err
	}
	if tooMany := f.limiter.Allow(c, Address(c)); tooMany != nil {
		return nil, tooMany
	}
	return nil, err
}

// Refuses lists rate_limited.
func (f *failures) Refuses() []string { return []string{framework.CodeThrottled} }

// unknownCredentials is the scheme for headers that no scheme before it accepts.
type unknownCredentials struct{ before []framework.Authenticator }

// Authenticate rejects any Authorization header that is not empty with 401. Without one it
// returns nil.
func (u unknownCredentials) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	if r.Header.Get("Authorization") == "" {
		return nil, nil
	}
	return nil, framework.UnknownCredentials(u.before...)
}

// CallerID returns the type of the schemes before, because no caller comes from this one.
func (u unknownCredentials) CallerID() reflect.Type {
	for _, scheme := range u.before {
		return framework.IDTypeOf(scheme)
	}
	return reflect.TypeFor[uuid.UUID]()
}

// Challenge returns no challenge.
func (unknownCredentials) Challenge() string { return "" }
