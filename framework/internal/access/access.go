package access

import (
	"maps"
	"net/http"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/problem"
)

// A Check has what a request must pass before its endpoint runs: the authentication schemes, the
// throttles and the permission.
type Check struct {
	Authentication []call.Authenticator
	Throttles      []call.Throttle
	Permission     call.Permission
}

// Admit identifies the caller, then checks throttles and permission. Throttles that do not need
// the caller run before the caller is identified. Each throttle that runs may count the
// request, even if a later step rejects it. Admit returns the first error: that of a throttle,
// of [Identify], or of [PermissionError].
func (a Check) Admit(c *call.Call, r *http.Request) error {
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

// throttle runs the throttles that do not need the caller, if early is true, or else those that
// need it. The first throttle that rejects the request or fails ends the run. A rejected
// request is the error 429.
func (a Check) throttle(c *call.Call, r *http.Request, early bool) error {
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

// Identify sets the caller of a call: the authenticators run in turn until one returns a caller
// or an error. If none does, the caller is anonymous, unless the request has a header
// Authorization: credentials that no scheme recognises are the error 401. Without schemes, the
// header has no effect. If the last list of schemes that ran for this call is the same slice and
// gave no error, as for a guard, the schemes do not run again, even for an anonymous caller.
func Identify(c *call.Call, r *http.Request, schemes []call.Authenticator) error {
	s, list := state.Of(c), listOf(schemes)
	if list.Len > 0 && s.Identified == list {
		return nil
	}
	s.Identified, c.Caller = state.List{}, &call.Caller{}
	caller, err := authenticate(c, r, schemes)
	if err != nil {
		return err
	}
	s.Identified = list
	if caller != nil {
		c.Caller = caller
	}
	return nil
}

// authenticate returns the caller of the first scheme that recognises one, or nil for an
// anonymous caller. The first error of a scheme ends the run. A header Authorization that no
// scheme recognises is the error 401. A 401 gets the challenges of all schemes, and says of a rejected bearer token that it is
// the reason (RFC 6750, section 3).
func authenticate(c *call.Call, r *http.Request, schemes []call.Authenticator) (*call.Caller, error) {
	for _, scheme := range withFurther(r, schemes) {
		caller, err := scheme.Authenticate(c, r)
		if err != nil {
			if e := AsError(err); e.Status == http.StatusUnauthorized {
				return nil, rejected(r, e, schemes)
			}
			return nil, err
		}
		if caller != nil {
			return caller, checkID(scheme, caller)
		}
	}
	if r.Header.Get("Authorization") != "" && len(schemes) > 0 {
		return nil, rejected(r, UnknownCredentials(schemes...), schemes)
	}
	return nil, nil
}

func listOf(schemes []call.Authenticator) state.List {
	if len(schemes) == 0 {
		return state.List{}
	}
	return state.List{First: &schemes[0], Len: len(schemes)}
}

// PermissionError is the error for a caller without permission: 401 for an anonymous caller,
// with the challenges of the schemes, and 403 for an identified one.
func PermissionError(c *call.Call, schemes []call.Authenticator) error {
	if c.Caller.Anonymous() && len(schemes) == 0 {
		return problem.Refuse(http.StatusUnauthorized, problem.CodeAuthenticationRequired, "This needs credentials, and no credentials are accepted here.")
	}
	if c.Caller.Anonymous() {
		return Challenged(problem.Unauthenticated(), schemes)
	}
	return problem.Forbidden()
}

// Challenged returns a copy of the error with the header WWW-Authenticate: one challenge per
// scheme that has one. A WWW-Authenticate that the error already has is not replaced. If no scheme
// has a challenge, Challenged returns the error itself.
func Challenged(e *problem.Error, schemes []call.Authenticator) *problem.Error {
	return withChallenges(e, schemes, "")
}

// bearer begins the challenge of bearer tokens, and the header Authorization of a request with one.
const bearer = "Bearer "

// rejected is [Challenged] for a request whose credentials are not valid. If they are a bearer token, its challenge says so.
func rejected(r *http.Request, e *problem.Error, schemes []call.Authenticator) *problem.Error {
	sent, reason := r.Header.Get("Authorization"), ""
	if len(sent) > len(bearer) && strings.EqualFold(sent[:len(bearer)], bearer) && e.Code == problem.CodeInvalidToken {
		reason = `, error="` + problem.CodeInvalidToken + `"`
	}
	return withChallenges(e, schemes, reason)
}

// withChallenges is [Challenged]. The challenge of bearer tokens ends with the reason.
func withChallenges(e *problem.Error, schemes []call.Authenticator, reason string) *problem.Error {
	var challenges []string
	for _, s := range schemes {
		one := s.Challenge()
		if strings.HasPrefix(one, bearer) {
			one += reason
		}
		if one != "" {
			challenges = append(challenges, one)
		}
	}
	if len(challenges) == 0 {
		return e
	}
	c := *e
	c.Header = map[string]string{problem.HeaderChallenge: strings.Join(challenges, ", ")}
	maps.Copy(c.Header, e.Header)
	return &c
}

// isEarly reports whether a throttle runs before the caller is identified.
func isEarly(t call.Throttle) bool {
	early, ok := t.(call.EarlyThrottle)
	return ok && early.BeforeCaller()
}
