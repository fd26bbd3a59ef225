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
	// DefaultSessionLife is how long a session lives in total.
	DefaultSessionLife = 14 * 24 * time.Hour

	leastIdleLife = 5 * time.Minute // well above lastUseInterval
)

// SessionOptions are the settings of [NewSessions].
type SessionOptions struct {
	// Secure states that clients reach the service by https, directly or through a proxy.
	// Then cookies are sent over https only, their names begin with __Host- except for
	// csrftoken, and the origin of the service is https. Defaults to false, for development.
	Secure bool
	// IdleLife is how long a session lives without a request; at least five minutes.
	// Defaults to DefaultIdleLife, two hours.
	IdleLife time.Duration
	// Life is how long a session lives in total; not less than IdleLife. Defaults to
	// DefaultSessionLife, 14 days, or to IdleLife if that is more.
	Life time.Duration
	// TrustedOrigins are other origins whose pages may write, and open websockets, with a
	// session, each as browsers send it: "https://app.example.org". They are part of the
	// service: name only origins whose scripts you control. Cookies are SameSite=Lax: a request from a
	// page of another site has them only if it opens a page by a method that only reads. The
	// option is for sibling subdomains, for other ports, and for a proxy that changes the
	// header Host, which needs the public origin here. Defaults to none.
	TrustedOrigins []string
	// Realm names the protected space in the challenge. Defaults to "api".
	Realm string
	// Now returns the time when there is no request, for tests. Defaults to time.Now.
	Now func() time.Time
}

// Sessions keeps browsers signed in by a cookie. It is also the scheme that authenticates
// them:
//
//	Cookie: sessionid=...             // __Host-sessionid if Secure
//	X-CSRFToken: ...                  // on every request that may write
//
// The cookie contains 256 random bits; the table stores only their SHA-256. A session
// ends after its idle life and after its total life. It also ends when the user signs
// out, signs in again from the same browser, changes the password or is deleted, and by
// [Sessions.EndByID] and [Sessions.EndAll]. The sessions of an inactive user are not
// accepted.
//
// # Endpoints
//
// A service has four endpoints. The first and the last run this scheme and permit anyone;
// the second runs no scheme:
//
//   - show who is signed in: return [Sessions.CSRFToken], before login too;
//   - sign in: [Sessions.CheckCSRF], [Users.CheckPassword], [Sessions.Begin];
//   - change the password: [Users.SetPassword], which ends every session of the user; then
//     [Users.UserByID] and [Sessions.Begin], else this browser must sign in again too;
//   - sign out: [Sessions.End].
//
// # Forged requests
//
// Browsers send cookies with requests that another site starts. So every method except
// GET, HEAD, OPTIONS and TRACE must pass two checks; otherwise the server answers 403
// csrf_failed. First, the header Origin must name the origin of the service or a trusted
// one; without Origin the header Referer must. Unless Origin names a trusted one,
// Sec-Fetch-Site must be same-origin or none. Each of these headers may be absent. Second,
// X-CSRFToken must be a token of the same session. A sign-in must pass both checks too, with
// a token of the cookie "presession" or of a live session.
//
// Make one Sessions for the process, and run [Sessions.Run] beside the server. It is safe
// for concurrent use.
type Sessions struct {
	options SessionOptions
	trusted map[string]bool
	uses    *lastUses
}

var _ framework.Authenticator = (*Sessions)(nil)

// NewSessions returns sessions with the options o, or an error that names the invalid
// option.
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
	return &Sessions{options: o, trusted: trusted, uses: newLastUses("auth_sessions", "last_seen_at")}, nil
}

// isOrigin reports whether text is an http or https origin in lower case, without a user, a
// path, a default port, * or a comma. It does not check that the host is in Punycode or that
// the port is in its shortest form; such a spelling never matches.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		!strings.ContainsAny(u.Host, "*,") && serializeOrigin(u.Scheme, u.Host) == text
}

// now returns the time in the precision that both databases store.
func (s *Sessions) now() time.Time { return s.options.Now().UTC().Truncate(time.Microsecond) }

// isLive reports whether a session is alive at a time.
func (s *Sessions) isLive(r SessionRecord, now time.Time) bool {
	return now.Before(r.CreatedAt.Add(s.options.Life)) && now.Before(r.LastSeenAt.Add(s.options.IdleLife))
}
