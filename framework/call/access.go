package call

import (
	"maps"
	"net/http"

	"trestle.example/framework/problem"
)

// A Door is what a caller passes before anything else: the schemes that
// identify, the throttles and the permission.
type AccessCheck struct {
	Authentication []Authenticator
	Throttles      []Throttle
	Permission     Permission
}

// Admit identifies the caller, then asks throttles and permission. Throttles that do
// not need the caller are asked first.
func (a AccessCheck) Admit(c *Call, r *http.Request) error {
	if err := a.throttle(c, r, true); err != nil {
		return err
	}
	if err := Identify(c, r, a.Authentication); err != nil {
		return err
	}
	if err := a.throttle(c, r, false); err != nil {
		return err
	}
	if !a.Permission.Permit(c) {
		return PermissionError(c, a.Authentication)
	}
	return nil
}

// throttle asks the throttles that need the caller, or those that do not.
func (a AccessCheck) throttle(c *Call, r *http.Request, early bool) error {
	for _, t := range a.Throttles {
		if isEarly(t) != early {
			continue
		}
		wait, err := t.Allow(c, r)
		if err != nil {
			return err
		}
		if wait > 0 {
			return problem.Throttled(wait)
		}
	}
	return nil
}

// Identify asks the authenticators in turn. Credentials that no scheme
// recognises, or that do not hold, are never taken for anonymous.
// A request that passed a guard is not identified again by the same schemes;
// by others it is, as if no guard had known the caller.
func Identify(c *Call, r *http.Request, schemes []Authenticator) error {
	if c.identified != nil && sameList(c.identified, schemes) {
		return nil
	}
	c.identified, c.Caller = schemes, &Caller{}
	for _, scheme := range schemes {
		caller, err := scheme.Authenticate(c, r)
		if err != nil {
			if e := AsError(err); e.Status == http.StatusUnauthorized {
				return Challenged(e, schemes)
			}
			return err
		}
		if caller != nil {
			c.Caller = caller
			return nil
		}
	}
	if r.Header.Get("Authorization") != "" && len(schemes) > 0 {
		return Challenged(UnknownCredentials(schemes...), schemes)
	}
	return nil
}

func sameList[T any](a, b []T) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// Refused is the error for a caller without permission: 401 for an anonymous caller, 403 for
// a known one.
func PermissionError(c *Call, schemes []Authenticator) error {
	if c.Caller.Anonymous() && len(schemes) == 0 {
		return problem.Refuse(http.StatusUnauthorized, problem.CodeAuthenticationRequired, "This needs credentials, and no credentials are accepted here.")
	}
	if c.Caller.Anonymous() {
		return Challenged(problem.Unauthenticated(), schemes)
	}
	return problem.Forbidden()
}

// Challenged adds WWW-Authenticate, one challenge per scheme.
func Challenged(e *problem.Error, schemes []Authenticator) *problem.Error {
	challenge := ""
	for _, s := range schemes {
		if one := s.Challenge(); one != "" {
			if challenge != "" {
				challenge += ", "
			}
			challenge += one
		}
	}
	if challenge == "" {
		return e
	}
	c := *e
	c.Header = map[string]string{problem.HeaderChallenge: challenge}
	maps.Copy(c.Header, e.Header)
	return &c
}
