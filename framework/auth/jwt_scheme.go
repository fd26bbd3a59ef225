package auth

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// jwtScheme is the Scheme of callers with an access token.
const jwtScheme = "JWT"

var _ framework.Authenticator = (*JWT)(nil)

// Challenge returns the value for WWW-Authenticate: `Bearer realm="api"` (RFC 6750).
func (j *JWT) Challenge() string { return "Bearer realm=" + strconv.Quote(j.realm) }

// Authenticate returns the user of the access token of a request, at the time of the
// request. It leaves a credential to another scheme, and returns nil and no error, if the
// keyword is not Bearer, if the token does not have three parts between dots, or if it begins
// with [TokenPrefix].
//
// One statement reads the login, its user and the permissions of the user. The token
// contains only the ids of the login and the user. Several Authorization headers, a token
// that is invalid or expired, an ended login and an inactive user are errors of status 401.
// The error is the same for an ended login and an inactive user.
func (j *JWT) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	return j.identify(c, c.Session(), c.Now, r.Header)
}

func (j *JWT) identify(ctx context.Context, s *sqldb.Session, now time.Time, h http.Header) (*framework.Caller, error) {
	token, err := readBearer(h)
	if token == "" || err != nil {
		return nil, err
	}
	claims, err := j.read(token, now.Unix(), accessType)
	if err != nil {
		return nil, err
	}
	holder, err := findLogin(ctx, s, &claims)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !holder.user.IsActive {
		return nil, invalidJWT()
	}
	if err != nil {
		return nil, err
	}
	caller := holder.caller()
	caller.Scheme = jwtScheme
	return caller, nil
}

// readBearer returns the JWT of the Authorization header, or "" if the header has no JWT.
// Several Authorization headers are an error. It does not verify the JWT.
func readBearer(h http.Header) (string, error) {
	values := h.Values("Authorization")
	if len(values) > 1 {
		return "", framework.InvalidCredentials("The request has several Authorization headers; send one.")
	}
	keyword, token := splitCredentials(h.Get("Authorization"))
	if !strings.EqualFold(keyword, "Bearer") || strings.HasPrefix(token, TokenPrefix) || strings.Count(token, ".") != 2 {
		return "", nil
	}
	return token, nil
}

// findLogin reads the user of a login that has not ended, active or not, and the permissions
// of the user. If the login has ended, it returns sql.ErrNoRows.
func findLogin(ctx context.Context, s *sqldb.Session, claims *jwtClaims) (*tokenHolder, error) {
	h := &tokenHolder{}
	err := readFirst(ctx, s, holderByLogin.With(claims.Family, claims.Subject), h.dest()...)
	if err != nil {
		return nil, err
	}
	return h, nil
}

var holderByLogin = userTemplate("", "auth_jwt_families AS f JOIN auth_users AS u ON u.id = f.user_id", "f.id = ? AND f.user_id = ?") //nolint:gochecknoglobals // it never changes
