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

// CodeRefreshSuperseded is the code of the 401 for a refresh token that was replaced less
// than the grace ago.
const CodeRefreshSuperseded = "refresh_superseded"

// ErrRefreshReused is wrapped by the error for a refresh token that was replaced longer
// ago than the grace: the token or its replacement may have been stolen. The login has ended.
// The client gets the same error as for any invalid token.
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
	// Issuer names this service in its tokens (iss). No other service may use it. Required.
	Issuer string
	// Audience names the recipient of the tokens (aud). Defaults to the issuer.
	Audience string
	// Access is how long an access token is valid; from 1 s to Refresh. Defaults to 5
	// minutes.
	Access time.Duration
	// Refresh is how long a refresh token is valid; at most Login. Defaults to 24 hours.
	Refresh time.Duration
	// Login is how long a login can be refreshed in total; at most 36,500 days. Defaults to
	// 30 days.
	Login time.Duration
	// Leeway is how far in the future a token may have been issued, because the clocks of
	// other servers differ; at most 30 s. It does not extend the life of a token.
	// Defaults to 10 s.
	Leeway time.Duration
	// Grace is how long after its replacement a refresh token does not end its login,
	// because several tabs may refresh at once; at most a minute. Defaults to 10 s.
	Grace time.Duration
	// Realm names the protected space in the challenge. Defaults to "api".
	Realm string
	// Now returns the time, for tests. Defaults to time.Now.
	Now func() time.Time
}

// JWT issues pairs of JSON Web Tokens (RFC 7519). It is also the scheme that
// authenticates callers by their access token:
//
//	Authorization: Bearer eyJ...
//
// A login, also called a family, begins with a pair. Its refresh token is valid for one
// more pair, and so on. The database stores the login and the id of its latest refresh
// token. So a login can end at once, and it stays ended after a restart. It ends by
// [JWT.Revoke], [JWT.RevokeFamily] and [JWT.RevokeUser], by a new password, when the user
// is deactivated or deleted, and when a refresh token is used again after the grace. Its
// access tokens end with it. A login also ends when its latest refresh token expires without
// a refresh, and when it is refreshed after [JWTOptions.Login].
//
// Methods run in the session that they get, as the methods of [Users] do; [JWT.Refresh] takes
// only the pool. JWT is safe for concurrent use.
type JWT struct {
	keys             *Keys
	issuer, audience string
	access, refresh  int64 // seconds
	leeway           int64
	login, grace     time.Duration
	realm            string
	clock            func() time.Time
}

// NewJWT returns the scheme with the options o, or an error that names the invalid
// option.
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

// life returns how many seconds a token of a type is valid, or 0 for an unknown type.
func (j *JWT) life(tokenType string) int64 {
	switch tokenType {
	case accessType:
		return j.access
	case refreshType:
		return j.refresh
	}
	return 0
}

// now returns the time in the precision that both databases store.
func (j *JWT) now() time.Time { return j.clock().UTC().Truncate(time.Microsecond) }

// A Pair is the result of a login or a refresh: an access token for requests, and a
// refresh token for the next pair.
type Pair struct {
	Access, Refresh Secret
	UserID          uuid.UUID
	Family          uuid.UUID // the login; a refresh keeps it
}

// newPair signs a pair and returns the id of its refresh token.
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

// Issue begins a login and deletes the expired logins of the user. user is the account that
// [Users.CheckPassword] or [Users.UserByID] just returned. If the account changed since, is
// inactive or was deleted, the error is [ErrWrongCredentials]. So a login with the old
// password cannot survive a change of the password.
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
		if err := lockUnchanged(ctx, s, user); err != nil {
			return err
		}
		return j.beginFamily(ctx, s, jwtFamily{
			ID: family, UserID: user.ID, RefreshID: refreshID, CreatedAt: now, ExpiresAt: j.refreshExpiry(now),
		})
	})
	if err != nil {
		return Pair{}, err
	}
	return pair, nil
}

// Refresh returns the next pair of a login and replaces its refresh token. If several
// requests use the same token at once, one of them gets a pair.
//
// An error for the client is a *framework.Error of status 401. Its code is
// [CodeRefreshSuperseded] if the token was replaced within the grace; the login
// continues. In every other case it is framework.CodeInvalidToken. If the token was
// replaced earlier, the login ends and the error wraps [ErrRefreshReused]. The login also
// ends if the user is inactive or the login is older than [JWTOptions.Login]. If the token has
// expired or its login has ended before, Refresh changes nothing.
//
// The login must end although Refresh returns an error. So Refresh runs its own
// transaction, and s must be the pool, as in an action that is declared Untransacted.
func (j *JWT) Refresh(ctx context.Context, s *sqldb.Session, refresh string) (Pair, error) {
	if s.InTx() {
		return Pair{}, errors.New("JWT.Refresh was called inside a transaction, where an error would undo the end of a login; declare the action Untransacted")
	}
	now := j.now()
	old, err := j.read(refresh, now.Unix(), refreshType)
	if err != nil {
		return Pair{}, err
	}
	// Signed before the transaction, so that other requests wait less.
	next, id, err := j.newPair(old.Subject, old.Family, now)
	if err != nil {
		return Pair{}, err
	}
	var clientErr error
	err = s.DB().InTx(ctx, func(ctx context.Context, s *sqldb.Session) error {
		var err error
		clientErr, err = j.rotate(ctx, s, &old, id, now)
		return err
	})
	if err = cmp.Or(err, clientErr); err != nil {
		return Pair{}, err
	}
	return next, nil
}

// Revoke ends the login of a token. The token is an access token or a refresh token, even
// a replaced one. If the login has already ended, Revoke does nothing. An invalid or
// expired token is a *framework.Error of status 401.
func (j *JWT) Revoke(ctx context.Context, s *sqldb.Session, token string) error {
	claims, err := j.read(token, j.now().Unix(), refreshType, accessType)
	if err != nil {
		return err
	}
	return j.RevokeFamily(ctx, s, claims.Family)
}

// RevokeBearer ends the login of the access token in the Authorization header of a
// request. This is how a caller of this scheme logs out. A refresh token there works too.
// Without a valid JWT it returns the error of [JWT.Revoke].
func (j *JWT) RevokeBearer(ctx context.Context, s *sqldb.Session, h http.Header) error {
	token, err := readBearer(h)
	if err != nil {
		return err
	}
	return j.Revoke(ctx, s, token)
}

// RevokeFamily ends one login at once. If the login does not exist, it does nothing.
func (j *JWT) RevokeFamily(ctx context.Context, s *sqldb.Session, family uuid.UUID) error {
	return endFamily(ctx, s, family)
}

// RevokeUser ends every login of a user at once.
func (j *JWT) RevokeUser(ctx context.Context, s *sqldb.Session, userID uuid.UUID) error {
	return within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		return endFamilies(ctx, s, userID)
	})
}
