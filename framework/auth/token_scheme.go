package auth

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// maximumCredentials is the maximum length of the text after the keyword, in bytes.
const maximumCredentials = 512

// Token is the scheme of opaque tokens, which [Users.IssueToken] makes:
//
//	Authorization: Token trs_...
//	Authorization: Bearer trs_...
//
// The keyword is case-insensitive (RFC 9110 section 11.1). A Bearer credential that does
// not begin with "trs_" is left to another scheme. A token is never read from a URL.
//
// For every request one statement reads the token, its user and the permissions of the
// user. So the revocation of a token or of a permission, and the deactivation of a user, take
// effect with the next request. The error is the same for an unknown token, an expired token
// and a token of an inactive user.
//
// The zero Token is ready for use. It is safe for concurrent use. It does not record when
// a token was last used; [Tokens] does.
type Token struct {
	// Realm names the protected space in the challenge. Defaults to "api".
	Realm string

	uses *lastUses // nil records nothing
}

// tokenScheme is the Scheme of callers with an opaque token.
const tokenScheme = "Token"

var _ framework.Authenticator = Token{}

// Challenge returns the value for WWW-Authenticate: `Token realm="api"`.
func (t Token) Challenge() string {
	realm := t.Realm
	if realm == "" {
		realm = "api"
	}
	return "Token realm=" + strconv.Quote(realm)
}

// Authenticate returns the user of the token of a request. If the request has no opaque token,
// it returns nil and no error. Several Authorization headers, a malformed token and a token
// that is not valid are errors of status 401.
func (t Token) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	return t.identify(c, c.Session(), c.Now, r.Header)
}

func (t Token) identify(ctx context.Context, s *sqldb.Session, now time.Time, h http.Header) (*framework.Caller, error) {
	plain, err := readToken(h)
	if plain == "" || err != nil {
		return nil, err
	}
	hash := hashToken(plain)
	holder, err := findHolder(ctx, s, hash)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !holder.isValid(now) {
		return nil, invalidToken()
	}
	if err != nil {
		return nil, err
	}
	t.uses.note([hashLength]byte(hash), holder.used.Time, now)
	return holder.caller(), nil
}

// invalidToken returns the same error for every token that is not valid.
func invalidToken() error {
	return framework.InvalidCredentials("The token is unknown or expired, or was revoked.")
}

// readToken returns the token of the Authorization header, or "" if the header has no opaque
// token. A malformed token and several Authorization headers are an error.
func readToken(h http.Header) (string, error) {
	values := h.Values("Authorization")
	switch len(values) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", framework.InvalidCredentials("The request has several Authorization headers; send one.")
	}
	keyword, token := splitCredentials(values[0])
	switch {
	case strings.EqualFold(keyword, "Token"):
	case strings.EqualFold(keyword, "Bearer") && strings.HasPrefix(token, TokenPrefix):
	default:
		return "", nil
	}
	return token, checkToken(token)
}

// splitCredentials splits the keyword from the text after it.
func splitCredentials(value string) (keyword, rest string) {
	value = strings.Trim(value, " \t")
	end := strings.IndexAny(value, " \t")
	if end < 0 {
		return value, ""
	}
	return value[:end], strings.TrimLeft(value[end:], " \t")
}

// checkToken rejects text that cannot be a token, without a query.
func checkToken(token string) error {
	switch {
	case token == "":
		return framework.InvalidCredentials("The Authorization header holds no token; send: Authorization: Token trs_...")
	case len(token) > maximumCredentials:
		return framework.InvalidCredentials("The token is too long to be one.")
	case strings.ContainsFunc(token, isNotVisible):
		return framework.InvalidCredentials("The token holds a space or a character that is not ASCII; send one token and nothing else.")
	case !strings.HasPrefix(token, TokenPrefix):
		return framework.InvalidCredentials("This is not a token of this service: its tokens begin with " + TokenPrefix + ".")
	case len(token) != tokenLength:
		return invalidToken()
	}
	return nil
}

// isNotVisible reports whether a character is not a visible character of ASCII.
func isNotVisible(r rune) bool { return r <= ' ' || r > '~' }

// A tokenHolder is a user with permissions. If a token was read, it also has the expiry and the
// last use of the token.
type tokenHolder struct {
	user        User
	expires     sql.NullTime
	used        sql.NullTime   // the last use that was stored
	permissions sql.NullString // separated by spaces, which no permission contains
}

// findHolder reads a token in one statement, valid or not, or returns sql.ErrNoRows. The
// comparison of a hash in an index reveals nothing about a token by its timing.
func findHolder(ctx context.Context, s *sqldb.Session, hash []byte) (*tokenHolder, error) {
	h := &tokenHolder{}
	dest := append([]any{&h.expires, &h.used}, h.dest()...)
	if err := readByHash(ctx, s, holderByToken, [hashLength]byte(hash), dest...); err != nil {
		return nil, err
	}
	return h, nil
}

//nolint:gochecknoglobals // it never changes
var holderByToken = userLookup("t.expires_at, t.last_used_at, ", "auth_tokens AS t JOIN auth_users AS u ON u.id = t.user_id", "t.key_hash")

// userTemplate returns a statement that reads some columns, a user u and the permissions
// of u.
func userTemplate(columns, from, where string) *sqldb.Template {
	return sqldb.NewTemplate(func(v sqldb.Values) schema.QueryAppender {
		values := []any{permissionsOf(v.Kind())}
		for i := range strings.Count(where, "?") {
			values = append(values, v.At(i))
		}
		return bun.SafeQuery("SELECT "+columns+userColumns+" FROM "+from+" WHERE "+where, values...)
	})
}

// userLookup is userTemplate for the row that has a hash. Several requests can share one
// execution of it.
func userLookup(columns, from, hash string) *sqldb.Lookup {
	return sqldb.NewLookup(func(v sqldb.Values) schema.QueryAppender {
		return bun.SafeQuery("SELECT "+columns+userColumns+", "+hash+" FROM "+from+" WHERE "+hash+" ?", permissionsOf(v.Kind()), v.Hash())
	})
}

// userColumns are the columns of a user u and the permissions of u, in the order of
// [tokenHolder.dest].
const userColumns = "u.id, u.email, u.name, u.is_active, u.is_staff, u.is_superuser, (?) AS permissions"

// permissionsOf selects the permissions of the user u as one text: direct ones and those
// of groups, each once (UNION).
func permissionsOf(k sqldb.Kind) schema.QueryAppender {
	return bun.SafeQuery("SELECT " + k.GroupConcat("p.permission", " ") + " FROM (" +
		"SELECT up.permission FROM auth_user_permissions AS up WHERE up.user_id = u.id UNION " +
		"SELECT gp.permission FROM auth_user_groups AS ug JOIN auth_group_permissions AS gp ON gp.group_id = ug.group_id WHERE ug.user_id = u.id) AS p")
}

// isValid reports whether the token has not expired at a time and its user is active.
func (h *tokenHolder) isValid(now time.Time) bool {
	return h.user.IsActive && (!h.expires.Valid || now.Before(h.expires.Time))
}

// dest returns the destinations for userColumns.
func (h *tokenHolder) dest() []any {
	return []any{
		&h.user.ID, &h.user.Email, &h.user.Name,
		&h.user.IsActive, &h.user.IsStaff, &h.user.IsSuperuser, &h.permissions,
	}
}

func (h *tokenHolder) caller() *framework.Caller {
	held := make(map[string]bool)
	for p := range strings.FieldsSeq(h.permissions.String) {
		held[p] = true
	}
	return &framework.Caller{
		ID: h.user.ID, Email: h.user.Email, Name: h.user.Name,
		Staff: h.user.IsStaff, Superuser: h.user.IsSuperuser,
		Permissions: held, Scheme: tokenScheme,
	}
}
