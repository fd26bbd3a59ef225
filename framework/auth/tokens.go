package auth

import (
	"context"
	"net/http"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TokenOptions are the settings of [NewTokens].
type TokenOptions struct {
	// Realm names the protected space in the challenge. Defaults to "api".
	Realm string
	// Now tells the time where no request does, for tests. Defaults to
	// time.Now.
	Now func() time.Time
}

// Tokens is the scheme [Token] for a server: it also knows when each token was
// last used, for [TokenRecord], and deletes tokens that expired.
//
// Make one Tokens for the process, and let [Tokens.Run] run beside the server.
// It is safe for concurrent use.
type Tokens struct {
	scheme Token
	clock  func() time.Time
}

var _ framework.Authenticator = (*Tokens)(nil)

// NewTokens returns the scheme under o.
func NewTokens(o TokenOptions) *Tokens {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Tokens{scheme: Token{Realm: o.Realm, seen: newSightings("auth_tokens", "last_used_at")}, clock: o.Now}
}

// Challenge is that of [Token].
func (t *Tokens) Challenge() string { return t.scheme.Challenge() }

// Authenticate returns the user of the request's token, as that of [Token]
// does. It writes nothing: that is left to [Tokens.Flush].
func (t *Tokens) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	return t.scheme.Authenticate(c, r)
}

// Flush writes which tokens were used since the last Flush of this process.
// [Tokens.Run] calls it every minute. Each row is written at most once a minute
// by all processes together, so that LastUsedAt is up to two minutes behind.
// What an error keeps from being written waits for the next Flush.
func (t *Tokens) Flush(ctx context.Context, db *sqldb.DB) error { return t.scheme.seen.flush(ctx, db) }

// Purge deletes the tokens that have expired, and counts them. They are refused
// without it: it only frees their room. On the pool it goes in transactions of
// 1,000 rows.
func (t *Tokens) Purge(ctx context.Context, s *sqldb.Session) (int64, error) {
	return purge(ctx, s, purgeAtOnce, t.expired())
}

// expired are the tokens whose time is over; one without an end never is.
func (t *Tokens) expired() ended {
	return ended{"auth_tokens", "expires_at", t.clock().UTC().Truncate(time.Microsecond)}
}

// Run calls [Tokens.Flush] every minute and [Tokens.Purge] every hour, until
// ctx ends; then it flushes once more and returns. Errors go to report and end
// nothing.
func (t *Tokens) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	keepHouse(ctx, db, report, t)
}
