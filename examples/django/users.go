package main

import (
	"database/sql"
	"errors"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A User is a row of auth_user with the columns of a sign-in. The program changes only the
// password.
type User struct {
	bun.BaseModel `bun:"table:auth_user"`

	ID       int64 `bun:",pk,autoincrement"`
	Username string
	Password string // a hash in a format of Django
	IsActive bool
}

// findCaller reads a token, its active user, and the permissions of the user and of the groups of
// the user. Django names a permission view_patient, in the application clinic.
const findCaller = `SELECT u.id, u.username, u.email, u.is_staff, u.is_superuser, (
	SELECT coalesce(string_agg(p.codename, ' '), '')
	FROM auth_permission AS p JOIN django_content_type AS c ON c.id = p.content_type_id
	WHERE c.app_label = 'clinic' AND p.id IN (
		SELECT permission_id FROM auth_user_user_permissions WHERE user_id = u.id
		UNION SELECT permission_id FROM auth_group_permissions JOIN auth_user_groups USING (group_id) WHERE user_id = u.id))
FROM authtoken_token AS t JOIN auth_user AS u ON u.id = t.user_id
WHERE t.key = ? AND u.is_active`

// DjangoTokens recognises the tokens of Django REST Framework: "Authorization: Token 9944b0...".
type DjangoTokens struct{}

// CallerID implements [framework.Typed]: the ids of auth_user are integers.
func (DjangoTokens) CallerID() reflect.Type { return reflect.TypeFor[int64]() }

// Challenge implements [framework.Authenticator].
func (DjangoTokens) Challenge() string { return "Token" }

// Authenticate implements [framework.Authenticator].
func (DjangoTokens) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	key, err := readKey(r.Header)
	if key == "" || err != nil {
		return nil, err
	}
	var id int64
	var names string
	caller := &framework.Caller{Scheme: "Token"}
	err = c.DB.NewRaw(findCaller, sqldb.Param(key)).
		Scan(c, &id, &caller.Name, &caller.Email, &caller.Staff, &caller.Superuser, &names)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, framework.InvalidCredentials("The token is unknown, or its user is inactive.")
	}
	caller.ID, caller.Permissions = id, permissions(names)
	return caller, err
}

// readKey returns the key of a token, or "" for a request without a token. A malformed token is
// an error.
func readKey(h http.Header) (string, error) {
	headers := h.Values("Authorization")
	if len(headers) > 1 {
		return "", framework.InvalidCredentials("The request has several Authorization headers; send one.")
	}
	words := strings.Fields(strings.Join(headers, ""))
	switch {
	case len(words) == 0 || !strings.EqualFold(words[0], "Token"):
		return "", nil
	case len(words) != 2 || !keyText.MatchString(words[1]):
		return "", framework.InvalidCredentials("The header is not the word Token, a space and a token of 40 characters.")
	}
	return words[1], nil
}

// keyText is the form of a token of Django REST Framework.
var keyText = regexp.MustCompile(`^[0-9a-f]{40}$`)

// permissions translates names of Django, separated by spaces: view_patient is patients.view.
func permissions(names string) map[string]bool {
	held := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		if right, model, ok := strings.Cut(name, "_"); ok {
			held[model+"s."+right] = true
		}
	}
	return held
}
