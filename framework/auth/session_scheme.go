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

// sessionScheme is the Scheme of callers with a session.
const sessionScheme = "Session"

// Challenge returns the value for WWW-Authenticate: `Session realm="api"`. A 401 must
// name a scheme. This one is not registered, so browsers show no dialog.
func (s *Sessions) Challenge() string {
	realm := s.options.Realm
	if realm == "" {
		realm = "api"
	}
	return "Session realm=" + strconv.Quote(realm)
}

// Authenticate returns the user of the session of a request, or nil without a session. For a
// well-formed session cookie it sends one statement, which only reads; it notes the use for
// [Sessions.Flush]. If the request has an Authorization header, it ignores cookies. A cookie
// without a live session of an active user counts as absent and is cleared. Several session
// cookies count as absent and are not cleared. A request that may write and fails the CSRF
// checks is 403 csrf_failed. So is a request for another protocol, such as a websocket, that a
// page of another origin sent: browsers send cookies with it and do not apply CORS.
func (s *Sessions) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	if len(r.Header.Values("Authorization")) > 0 {
		return nil, nil
	}
	live, err := s.findLive(c, r)
	if live == nil || err != nil {
		return nil, err
	}
	switch {
	case !isSafe(r.Method):
		err = s.check(c, r, csrfSecret(sessionCookie, live.key))
	case len(r.Header.Values("Upgrade")) > 0: // a page cannot set the header X-CSRFToken of a websocket
		err = s.checkSource(c, r)
	}
	if err != nil {
		return nil, err
	}
	s.uses.note(live.hash, live.record.LastSeenAt, c.Now)
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

// A liveSession is the session of a request.
type liveSession struct {
	key    string
	hash   [hashLength]byte
	record SessionRecord
	holder tokenHolder
}

// findLive returns the live session of a request, or nil. It clears a session cookie that names
// no live session of an active user. If there are several session cookies, it returns nil and
// clears none: clearing ours would leave the cookie of an attacker.
func (s *Sessions) findLive(c *framework.Call, r *http.Request) (*liveSession, error) {
	key, sent := s.key(r, sessionCookie)
	if sent != 1 {
		return nil, nil
	}
	if key != "" {
		found, err := findSession(c, c.Session(), key)
		if err == nil && found.holder.user.IsActive && s.isLive(found.record, c.Now) {
			return found, nil
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
	}
	s.clear(c, s.name(sessionCookie))
	return nil, nil
}

// findSession reads the session of a key in one statement, live or not, of an active user or not.
// If there is none, it returns sql.ErrNoRows.
func findSession(ctx context.Context, s *sqldb.Session, key string) (*liveSession, error) {
	found := &liveSession{key: key, hash: [hashLength]byte(hashToken(key))}
	dest := append([]any{&found.record.CreatedAt, &found.record.LastSeenAt}, found.holder.dest()...)
	if err := readByHash(ctx, s, sessionByKey, found.hash, dest...); err != nil {
		return nil, err
	}
	return found, nil
}

var sessionByKey = userLookup("se.created_at, se.last_seen_at, ", "auth_sessions AS se JOIN auth_users AS u ON u.id = se.user_id", "se.key_hash") //nolint:gochecknoglobals // it never changes
