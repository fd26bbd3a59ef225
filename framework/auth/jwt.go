package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// CodeRefreshSuperseded is the code of the 401 for a refresh token that was
// replaced a moment ago.
const CodeRefreshSuperseded = "refresh_superseded"

// ErrRefreshReused is behind the refusal of a refresh token that was replaced
// longer ago than the grace: it was stolen, or its replacement was. The login
// has been ended. The client reads the same as of any token that is not valid.
var ErrRefreshReused = errors.New("a refresh token was used again after it had been replaced; its login was ended")

// JWTCodes explain the codes of [JWT], for framework.Config.Codes.
func JWTCodes() []framework.CodeInfo {
	return []framework.CodeInfo{{
		Code: CodeRefreshSuperseded, Status: http.StatusUnauthorized, Title: "The refresh token was just replaced",
		Text: "Another request, as from a second tab, has used this refresh token seconds ago. Use the tokens that it got; the login goes on.",
	}}
}

// JWTOptions are the settings of [NewJWT]. Times are whole seconds.
type JWTOptions struct {
	// Keys sign and verify. Required.
	Keys *Keys
	// Issuer names this service in its tokens (iss), and no other. Required.
	Issuer string
	// Audience is whom tokens are for (aud). Defaults to the issuer.
	Audience string
	// Access is how long an access token lives. Defaults to 5 minutes.
	Access time.Duration
	// Refresh is how long a refresh token lives. Defaults to 24 hours.
	Refresh time.Duration
	// Login is how long a login can be refreshed in all. Defaults to 30 days.
	Login time.Duration
	// Leeway is how far in the future a token may have been issued, for other
	// servers' clocks; at most 30 s. It prolongs no token. Defaults to 10 s.
	Leeway time.Duration
	// Grace is how long a replaced refresh token is forgiven, for tabs that
	// refresh at once; at most a minute. Defaults to 10 s.
	Grace time.Duration
	// Realm names the protected space in the challenge. Defaults to "api".
	Realm string
	// Now tells the time, for tests. Defaults to time.Now.
	Now func() time.Time
}

// JWT issues pairs of JSON Web Tokens (RFC 7519) and is the scheme that
// recognises callers by their access token:
//
//	Authorization: Bearer eyJ...
//
// A login, here also called a family, begins with a pair. Its refresh token is
// good for one more pair, and so on. The database knows the login and its
// latest refresh token, so that a login ends at once, and stays ended over a
// restart: by [JWT.Revoke], by a new password, by deactivating or deleting the
// user, and by a refresh token that is used again. Access tokens end with it.
//
// Methods run in the session they are given, as those of [Users] do. It is safe
// for concurrent use.
type JWT struct {
	keys             *Keys
	issuer, audience string
	access, refresh  int64 // seconds
	leeway           int64
	login, grace     time.Duration
	realm            string
	clock            func() time.Time
}

// NewJWT returns the service under o, or an error that says which option
// cannot be used.
func NewJWT(o JWTOptions) (*JWT, error) {
	o.Audience = cmp.Or(o.Audience, o.Issuer)
	o.Access = cmp.Or(o.Access, 5*time.Minute)
	o.Refresh = cmp.Or(o.Refresh, 24*time.Hour)
	o.Login = cmp.Or(o.Login, 30*24*time.Hour)
	o.Leeway = cmp.Or(o.Leeway, 10*time.Second)
	o.Grace = cmp.Or(o.Grace, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return &JWT{
		keys: o.Keys, issuer: o.Issuer, audience: o.Audience,
		access: seconds(o.Access), refresh: seconds(o.Refresh), leeway: seconds(o.Leeway),
		login: o.Login, grace: o.Grace, realm: cmp.Or(o.Realm, "api"), clock: o.Now,
	}, nil
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

func (o *JWTOptions) check() error {
	if o.Keys == nil || len(o.Keys.ring) == 0 {
		return errors.New("JWTOptions.Keys is empty; read it with ParseKeys")
	}
	if o.Issuer == "" {
		return errors.New("JWTOptions.Issuer is empty; name this service, by its URL or a word")
	}
	for _, t := range []struct {
		name            string
		value, min, max time.Duration
	}{
		{"Access", o.Access, time.Second, o.Refresh},
		{"Refresh", o.Refresh, o.Access, o.Login},
		{"Login", o.Login, o.Refresh, 100 * 365 * 24 * time.Hour},
		{"Leeway", o.Leeway, 0, 30 * time.Second},
		{"Grace", o.Grace, 0, time.Minute},
	} {
		if t.value < t.min || t.value > t.max || t.value%time.Second != 0 {
			return fmt.Errorf("JWTOptions.%s is %s; give whole seconds from %s to %s", t.name, t.value, t.min, t.max)
		}
	}
	return nil
}

// life is how many seconds a token of a type lives, 0 for an unknown type.
func (j *JWT) life(tokenType string) int64 {
	switch tokenType {
	case accessType:
		return j.access
	case refreshType:
		return j.refresh
	}
	return 0
}

// now is the time in the precision that both databases keep.
func (j *JWT) now() time.Time { return j.clock().UTC().Truncate(time.Microsecond) }

// A Pair is what a client gets: an access token to send with its requests, and
// a refresh token to get the next pair with.
type Pair struct {
	Access, Refresh Secret
	UserID          uuid.UUID
	Family          uuid.UUID // the login that they belong to; kept by Refresh
}

// newPair signs a pair, and says by which id its refresh token is known.
func (j *JWT) newPair(userID, family uuid.UUID, now time.Time) (Pair, uuid.UUID, error) {
	access, _, err := j.newToken(accessType, userID, family, now)
	if err != nil {
		return Pair{}, uuid.Nil, err
	}
	refresh, id, err := j.newToken(refreshType, userID, family, now)
	return Pair{Access: access, Refresh: refresh, UserID: userID, Family: family}, id, err
}

func (j *JWT) newToken(tokenType string, userID, family uuid.UUID, now time.Time) (Secret, uuid.UUID, error) {
	id, err := uuid.NewRandom()
	if err != nil {
		return Secret{}, uuid.Nil, err
	}
	token, err := j.keys.seal(jwtClaims{
		Issuer: j.issuer, Audience: j.audience, Subject: userID, Family: family, ID: id, Type: tokenType,
		Issued: now.Unix(), Expires: now.Unix() + j.life(tokenType),
	})
	return token, id, err
}

// Issue begins a login. user is the account as [Users.CheckPassword] or
// [Users.UserByID] just returned it: if it was changed since, is inactive or
// gone, that is [ErrWrongCredentials], so that a login with the old password
// does not outlast a change of it.
func (j *JWT) Issue(ctx context.Context, s *sqldb.Session, user User) (Pair, error) {
	now := j.now()
	family, err := uuid.NewV7()
	if err != nil {
		return Pair{}, err
	}
	pair, refreshID, err := j.newPair(user.ID, family, now)
	if err != nil {
		return Pair{}, err
	}
	err = within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		if err := unchanged(ctx, s, user); err != nil {
			return err
		}
		return j.beginFamily(ctx, s, jwtFamily{
			ID: family, UserID: user.ID, RefreshID: refreshID, CreatedAt: now, ExpiresAt: j.lapses(now),
		})
	})
	if err != nil {
		return Pair{}, err
	}
	return pair, nil
}

// Refresh returns the next pair of a login and replaces its refresh token. Of
// several at once with the same token, one gets a pair.
//
// A refusal is a *framework.Error of status 401: [CodeRefreshSuperseded] for a
// token that was replaced within the grace, after which the login goes on;
// framework.CodeInvalidToken for any other. One that was replaced earlier ends
// the login, and wraps [ErrRefreshReused].
//
// The end of a login is kept although the answer is a refusal, so Refresh runs
// its own transaction: s must be the pool, as in an action that is declared
// Untransacted.
func (j *JWT) Refresh(ctx context.Context, s *sqldb.Session, refresh string) (Pair, error) {
	if s.InTx() {
		return Pair{}, errors.New("JWT.Refresh was called inside a transaction, where a refusal would undo the end of a login; declare the action Untransacted")
	}
	now := j.now()
	old, err := j.read(refresh, now.Unix(), refreshType)
	if err != nil {
		return Pair{}, err
	}
	// Signed before the transaction, which others may be waiting for.
	next, id, err := j.newPair(old.Subject, old.Family, now)
	if err != nil {
		return Pair{}, err
	}
	var refusal error
	err = s.DB().InTx(ctx, func(ctx context.Context, s *sqldb.Session) error {
		var err error
		refusal, err = j.rotate(ctx, s, &old, id, now)
		return err
	})
	if err = cmp.Or(err, refusal); err != nil {
		return Pair{}, err
	}
	return next, nil
}

// Revoke ends the login of a token, which is a refresh token, also one that
// has been replaced, or an access token. A login that has ended already is no
// error; a token that is not valid is refused.
func (j *JWT) Revoke(ctx context.Context, s *sqldb.Session, token string) error {
	claims, err := j.read(token, j.now().Unix(), refreshType, accessType)
	if err != nil {
		return err
	}
	return j.RevokeFamily(ctx, s, claims.Family)
}

// RevokeBearer ends the login of the access token in a request's Authorization
// header: what "log out" means to a caller of this scheme. Without such a
// token it is refused.
func (j *JWT) RevokeBearer(ctx context.Context, s *sqldb.Session, h http.Header) error {
	token, err := readBearer(h)
	if err != nil {
		return err
	}
	return j.Revoke(ctx, s, token)
}

// RevokeFamily ends one login, at once. One that does not exist, or no longer,
// is no error.
func (j *JWT) RevokeFamily(ctx context.Context, s *sqldb.Session, family uuid.UUID) error {
	return endFamily(ctx, s, family)
}

// RevokeUser ends every login of a user, at once.
func (j *JWT) RevokeUser(ctx context.Context, s *sqldb.Session, userID uuid.UUID) error {
	return within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		return endFamilies(ctx, s, userID)
	})
}
