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

// maximumCredentials bounds what is read after the scheme's keyword, in bytes.
const maximumCredentials = 512

// Token is the scheme of opaque tokens, made by [Users.IssueToken]:
//
//	Authorization: Token trs_...
//	Authorization: Bearer trs_...
//
// The keyword is read in any case (RFC 9110 section 11.1). A Bearer credential
// that does not begin with "trs_" is left to another scheme. A token is never
// read from a URL.
//
// Every request reads the token, its user and the user's permissions in one
// statement, so that revoking a token, deactivating a user and taking a
// permission away hold from the next request on. An unknown token, an expired
// one and one of an inactive user are refused alike.
//
// The zero Token is ready for use, by many requests at once. It records
// nothing; [Tokens] is this scheme for a server that wants to know when a token
// was last used.
type Token struct {
	// Realm names the protected space in the challenge. Defaults to "api".
	Realm string

	seen *sightings // nil records nothing
}

// tokenScheme is the Scheme of callers that an opaque token names.
const tokenScheme = "Token"

var _ framework.Authenticator = Token{}

// Challenge is the value for WWW-Authenticate: `Token realm="api"`.
func (t Token) Challenge() string {
	realm := t.Realm
	if realm == "" {
		realm = "api"
	}
	return "Token realm=" + strconv.Quote(realm)
}

// Authenticate returns the user of the request's token.
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
	if errors.Is(err, sql.ErrNoRows) || err == nil && !holder.admitted(now) {
		return nil, refused()
	}
	if err != nil {
		return nil, err
	}
	t.seen.note([hashLength]byte(hash), holder.used.Time, now)
	return holder.caller(), nil
}

// refused is the one answer for a token that names nobody who may enter.
func refused() error {
	return framework.InvalidCredentials("The token is unknown or expired, or was revoked.")
}

// readToken returns the token of the Authorization header, "" if there is no
// credential of this kind, or an error for one that is malformed.
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

// splitCredentials parts the keyword from what follows it.
func splitCredentials(value string) (keyword, rest string) {
	value = strings.Trim(value, " \t")
	end := strings.IndexAny(value, " \t")
	if end < 0 {
		return value, ""
	}
	return value[:end], strings.TrimLeft(value[end:], " \t")
}

// checkToken refuses what cannot be a token, without asking the database.
func checkToken(token string) error {
	switch {
	case token == "":
		return framework.InvalidCredentials("The Authorization header holds no token; send: Authorization: Token trs_...")
	case len(token) > maximumCredentials:
		return framework.InvalidCredentials("The token is too long to be one.")
	case strings.ContainsFunc(token, notVisible):
		return framework.InvalidCredentials("The token holds a space or a character that is not ASCII; send one token and nothing else.")
	case !strings.HasPrefix(token, TokenPrefix):
		return framework.InvalidCredentials("This is no token of this service: those begin with " + TokenPrefix + ".")
	case len(token) != tokenLength:
		return refused()
	}
	return nil
}

// notVisible finds all but the visible characters of ASCII.
func notVisible(r rune) bool { return r <= ' ' || r > '~' }

// A tokenHolder is a token's row, its user's, and the user's permissions.
type tokenHolder struct {
	user        User
	expires     sql.NullTime
	used        sql.NullTime   // the last time, as far as it was written
	permissions sql.NullString // joined by spaces, which no permission holds
}

// findHolder looks a token up in one statement. The comparison by hash in an
// index tells nothing of a token by its timing.
func findHolder(ctx context.Context, s *sqldb.Session, hash []byte) (*tokenHolder, error) {
	h := &tokenHolder{}
	dest := append([]any{&h.expires, &h.used}, h.dest()...)
	if err := rowByHash(ctx, s, holderByToken, [hashLength]byte(hash), dest...); err != nil {
		return nil, err
	}
	return h, nil
}

//nolint:gochecknoglobals // it never changes
var holderByToken = userLookup("t.expires_at, t.last_used_at, ", "auth_tokens AS t JOIN auth_users AS u ON u.id = t.user_id", "t.key_hash")

// userTemplate is a statement of some columns, a user u and their permissions.
func userTemplate(columns, from, where string) *sqldb.Template {
	return sqldb.NewTemplate(func(v sqldb.Values) schema.QueryAppender {
		values := []any{permissionsOf(v.Kind())}
		for i := range strings.Count(where, "?") {
			values = append(values, v.At(i))
		}
		return bun.SafeQuery("SELECT "+columns+userColumns+" FROM "+from+" WHERE "+where, values...)
	})
}

// userLookup is userTemplate for the rows of a hash, which several requests read
// together.
func userLookup(columns, from, hash string) *sqldb.Lookup {
	return sqldb.NewLookup(func(v sqldb.Values) schema.QueryAppender {
		return bun.SafeQuery("SELECT "+columns+userColumns+", "+hash+" FROM "+from+" WHERE "+hash+" ?", permissionsOf(v.Kind()), v.Hash())
	})
}

// userColumns are those of a user u and their permissions, in the order of
// [tokenHolder.dest].
const userColumns = "u.id, u.email, u.name, u.is_active, u.is_staff, u.is_superuser, (?) AS permissions"

// permissionsOf selects the permissions of the user u as one text: their own
// and their groups', each once (UNION).
func permissionsOf(k sqldb.Kind) schema.QueryAppender {
	return bun.SafeQuery("SELECT " + k.GroupConcat("p.permission", " ") + " FROM (" +
		"SELECT up.permission FROM auth_user_permissions AS up WHERE up.user_id = u.id UNION " +
		"SELECT gp.permission FROM auth_user_groups AS ug JOIN auth_group_permissions AS gp ON gp.group_id = ug.group_id WHERE ug.user_id = u.id) AS p")
}

// admitted reports whether the token opens anything at a time.
func (h *tokenHolder) admitted(now time.Time) bool {
	return h.user.IsActive && (!h.expires.Valid || now.Before(h.expires.Time))
}

// dest takes the columns of a user and their permissions.
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
