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
	// Now returns the time when there is no request, for tests. Defaults to time.Now.
	Now func() time.Time
}

// Tokens is the scheme [Token] for a server. In addition, it records when each token was
// last used, for [TokenRecord], and deletes expired tokens.
//
// Make one Tokens for the process, and run [Tokens.Run] beside the server. It is safe for
// concurrent use.
type Tokens struct {
	scheme Token
	clock  func() time.Time
}

var _ framework.Authenticator = (*Tokens)(nil)

// NewTokens returns the scheme with the options o.
func NewTokens(o TokenOptions) *Tokens {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Tokens{scheme: Token{Realm: o.Realm, uses: newLastUses("auth_tokens", "last_used_at")}, clock: o.Now}
}

// Challenge returns the same as [Token.Challenge].
func (t *Tokens) Challenge() string { return t.scheme.Challenge() }

// Authenticate returns the user of the token of a request, as [Token.Authenticate] does.
// It writes nothing: [Tokens.Flush] does.
func (t *Tokens) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	return t.scheme.Authenticate(c, r)
}

// Flush stores which tokens were used since the last Flush of this process. [Tokens.Run]
// calls it every minute. All processes together write each row at most once a minute, so
// LastUsedAt is up to two minutes behind. Uses that an error keeps from being stored wait
// for the next Flush.
func (t *Tokens) Flush(ctx context.Context, db *sqldb.DB) error { return t.scheme.uses.flush(ctx, db) }

// Purge deletes expired tokens and counts them. It only frees space: expired tokens are
// rejected without it. On the pool it uses transactions of 1,000 rows.
func (t *Tokens) Purge(ctx context.Context, s *sqldb.Session) (int64, error) {
	return purge(ctx, s, purgeAtOnce, t.expired())
}

// expired selects the expired tokens. A token without an expiry never expires.
func (t *Tokens) expired() expiredRows {
	return expiredRows{"auth_tokens", "expires_at", t.clock().UTC().Truncate(time.Microsecond)}
}

// Run calls [Tokens.Flush] every minute and [Tokens.Purge] every hour until ctx ends.
// Then it flushes once more and returns. It passes errors and panics to report and continues.
func (t *Tokens) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	runHousekeeping(ctx, db, report, t)
}
