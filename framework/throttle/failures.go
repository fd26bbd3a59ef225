package throttle

import (
	"errors"
	"net/http"

	"trestle.example/framework"
)

// Failures limits failed credentials per address. It returns the schemes
// wrapped for [framework.Config], so that of credentials that do not hold only
// as many are answered with 401 as the limiter allows, and those after with
// 429; and one more, which counts an Authorization header that none of the
// schemes recognises.
//
// Credentials that hold always pass and cost nothing: a stranger, or one stale
// token, locks nobody out who shares the address. That is enough for what
// cannot be guessed, such as tokens. A password can: hold its endpoint to a rate
// before the password is looked at, with [Scoped] and [Limiter.Allow].
func Failures(l *Limiter, schemes ...framework.Authenticator) []framework.Authenticator {
	wrapped := make([]framework.Authenticator, 0, len(schemes)+1)
	for _, s := range schemes {
		wrapped = append(wrapped, &failures{s, l})
	}
	return append(wrapped, &failures{unrecognised{schemes}, l})
}

// failures counts what an authenticator refuses.
type failures struct {
	framework.Authenticator

	limiter *Limiter
}

// Unwrap returns the scheme itself.
func (f *failures) Unwrap() framework.Authenticator { return f.Authenticator }

// Authenticate implements [framework.Authenticator].
func (f *failures) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	caller, err := f.Authenticator.Authenticate(c, r)
	if refused, ok := errors.AsType[*framework.Error](err); !ok || refused.Status != http.StatusUnauthorized {
		return caller, err
	}
	if tooMany := f.limiter.Allow(c, Address(c)); tooMany != nil {
		return nil, tooMany
	}
	return nil, err
}

// Refuses names rate_limited.
func (f *failures) Refuses() []string { return []string{framework.CodeThrottled} }

// unrecognised is the scheme of headers that no scheme before it took.
type unrecognised struct{ before []framework.Authenticator }

// Authenticate refuses any Authorization header.
func (u unrecognised) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	if r.Header.Get("Authorization") == "" {
		return nil, nil
	}
	return nil, framework.UnknownCredentials(u.before...)
}

// Challenge offers nothing.
func (unrecognised) Challenge() string { return "" }
