package auth

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"trestle.example/framework"
)

const (
	// DefaultIdleLife is how long a session lives without a request.
	DefaultIdleLife = 2 * time.Hour
	// DefaultSessionLife is how long a session lives whatever happens.
	DefaultSessionLife = 14 * 24 * time.Hour

	leastIdleLife = 5 * time.Minute // well above seenEvery
)

// SessionOptions are the settings of [NewSessions].
type SessionOptions struct {
	// Secure says that clients reach the service by https, its own or that of
	// a proxy in front. Cookies are then sent over https alone, their names
	// begin with __Host-, and the service's own origin is https. Defaults to
	// false, for development.
	Secure bool
	// IdleLife is how long a session lives without a request; at least five
	// minutes. Defaults to DefaultIdleLife, two hours.
	IdleLife time.Duration
	// Life is how long a session lives however much it is used; not less than
	// IdleLife. Defaults to DefaultSessionLife, 14 days.
	Life time.Duration
	// TrustedOrigins are other origins whose pages may write with a session,
	// each as browsers send it: "https://app.example.org". They are part of
	// the service: name only those whose scripts are yours. Cookies are
	// SameSite=Lax, so pages of another site do not send them even then: this
	// is for sibling subdomains, ports, and a proxy that changes the header
	// Host, which needs the public origin here. Defaults to none.
	TrustedOrigins []string
	// Realm names the protected space in the challenge. Defaults to "api".
	Realm string
	// Now tells the time where no request does, for tests. Defaults to
	// time.Now.
	Now func() time.Time
}

// Sessions keeps browsers signed in by a cookie, and is the scheme that
// recognises them:
//
//	Cookie: sessionid=...             // __Host-sessionid if Secure
//	X-CSRFToken: ...                  // on every request that may write
//
// The cookie holds 256 random bits, of which the table holds only a SHA-256.
// A session ends after an idle life and after an absolute one, when it is
// ended, when its user signs in anew from the same browser, and when the
// user's password changes; an inactive user's does not count.
//
// # Endpoints
//
// A service offers four, of which the first and the last run this scheme and
// permit anyone, and the second runs no scheme:
//
//   - ask who is signed in: answer [Sessions.CSRFToken], before login too;
//   - sign in: [Sessions.CheckCSRF], [Users.CheckPassword], [Sessions.Begin];
//   - change the password: [Users.SetPassword], then [Sessions.Begin] with the
//     user as read after it, if this browser is to stay signed in;
//   - sign out: [Sessions.End].
//
// # Forged requests
//
// Browsers send cookies with requests that another site makes them send. So
// every method but GET, HEAD, OPTIONS and TRACE has to pass two checks, and
// what fails is 403 csrf_failed: the headers Origin, Referer and
// Sec-Fetch-Site, as far as they are there, must name the service's own origin
// or a trusted one; and X-CSRFToken must hold a token of this very session.
// Signing in must pass them too, with a token of the cookie "presession".
//
// Make one Sessions for the process, and let [Sessions.Run] run beside the
// server. It is safe for concurrent use.
type Sessions struct {
	options SessionOptions
	trusted map[string]bool
	seen    *sightings
}

var _ framework.Authenticator = (*Sessions)(nil)

// NewSessions returns the sessions under o, or an error that says which option
// cannot be used.
func NewSessions(o SessionOptions) (*Sessions, error) {
	if o.IdleLife == 0 {
		o.IdleLife = DefaultIdleLife
	}
	if o.Life == 0 {
		o.Life = max(DefaultSessionLife, o.IdleLife)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.IdleLife < leastIdleLife:
		return nil, fmt.Errorf("auth.SessionOptions: IdleLife is %s; it must be at least %s", o.IdleLife, leastIdleLife)
	case o.Life < o.IdleLife:
		return nil, fmt.Errorf("auth.SessionOptions: Life (%s) cannot be shorter than IdleLife (%s)", o.Life, o.IdleLife)
	}
	trusted := make(map[string]bool, len(o.TrustedOrigins))
	for _, origin := range o.TrustedOrigins {
		if !isOrigin(origin) {
			return nil, fmt.Errorf("auth.SessionOptions: TrustedOrigins has %q; "+
				"an origin is written as browsers send it, https://app.example.org: in lower case, without a path, a usual port or *", origin)
		}
		trusted[origin] = true
	}
	return &Sessions{options: o, trusted: trusted, seen: newSightings("auth_sessions", "last_seen_at")}, nil
}

// isOrigin reports whether text is an origin just as browsers send it: any
// other spelling would never match.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		!strings.ContainsAny(u.Host, "*,") && serializeOrigin(u.Scheme, u.Host) == text
}

// now is the time in the precision that both databases keep.
func (s *Sessions) now() time.Time { return s.options.Now().UTC().Truncate(time.Microsecond) }

// lives reports whether a session of such an age and last use does at a time.
func (s *Sessions) lives(r SessionRecord, now time.Time) bool {
	return now.Before(r.CreatedAt.Add(s.options.Life)) && now.Before(r.LastSeenAt.Add(s.options.IdleLife))
}
