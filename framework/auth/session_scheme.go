package auth

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// sessionScheme is the Scheme of callers that a session names.
const sessionScheme = "Session"

// Challenge is the value for WWW-Authenticate: `Session realm="api"`. No such
// scheme is registered, so browsers show nothing; but a 401 has to name one.
func (s *Sessions) Challenge() string {
	realm := s.options.Realm
	if realm == "" {
		realm = "api"
	}
	return "Session realm=" + strconv.Quote(realm)
}

// Authenticate returns the user of the request's session, in one statement
// that only reads. With an Authorization header it does not look at cookies.
// A cookie that names no live session counts as absent and is cleared; several
// of the name count as absent. A request that may write and fails the checks
// for forged ones is 403 csrf_failed.
func (s *Sessions) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	if len(r.Header.Values("Authorization")) > 0 {
		return nil, nil
	}
	live, err := s.live(c, r)
	if live == nil || err != nil {
		return nil, err
	}
	if !isSafe(r.Method) {
		if err := s.check(c, r, csrfSecret(sessionCookie, live.key)); err != nil {
			return nil, err
		}
	}
	s.seen.note(live.hash, live.record.LastSeenAt, c.Now)
	caller := live.holder.caller()
	caller.Scheme = sessionScheme
	return caller, nil
}

// isSafe reports whether a method only reads (RFC 9110 section 9.2.1).
func isSafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// A liveSession is what a request's cookie names.
type liveSession struct {
	key    string
	hash   [hashLength]byte
	record SessionRecord
	holder tokenHolder
}

// live finds the session of a request, nil for none, and clears a cookie that
// names none. Several cookies are left as they are: clearing ours would leave
// the planted one alone.
func (s *Sessions) live(c *framework.Call, r *http.Request) (*liveSession, error) {
	key, sent := s.key(r, sessionCookie)
	if sent != 1 {
		return nil, nil
	}
	if key != "" {
		found, err := findSession(c, c.Session(), key)
		if err == nil && found.holder.user.IsActive && s.lives(found.record, c.Now) {
			return found, nil
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
	}
	s.clear(c, s.name(sessionCookie))
	return nil, nil
}

// findSession looks a session up in one statement, whether it lives or not.
func findSession(ctx context.Context, s *sqldb.Session, key string) (*liveSession, error) {
	found := &liveSession{key: key, hash: [hashLength]byte(hashToken(key))}
	dest := append([]any{&found.record.CreatedAt, &found.record.LastSeenAt}, found.holder.dest()...)
	if err := rowByHash(ctx, s, sessionByKey, found.hash, dest...); err != nil {
		return nil, err
	}
	return found, nil
}

var sessionByKey = userLookup("se.created_at, se.last_seen_at, ", "auth_sessions AS se JOIN auth_users AS u ON u.id = se.user_id", "se.key_hash") //nolint:gochecknoglobals // it never changes
