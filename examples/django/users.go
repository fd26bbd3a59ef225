package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// A User is a row of auth_user, as far as this program uses it. It changes only the password.
type User struct {
	bun.BaseModel `bun:"table:auth_user"`

	ID          int64 `bun:",pk,autoincrement"`
	Username    string
	Password    string // a hash in a format of Django
	Email       string
	IsActive    bool
	IsStaff     bool
	IsSuperuser bool
}

// permissionsOfUser lists the permissions of a user and of the groups of the user, such as
// view_patient, separated by spaces.
const permissionsOfUser = `SELECT coalesce(string_agg(p.codename, ' '), '')
FROM auth_permission AS p JOIN django_content_type AS t ON t.id = p.content_type_id
WHERE t.app_label = 'clinic' AND p.id IN (
	SELECT permission_id FROM auth_user_user_permissions WHERE user_id = ?0
	UNION SELECT g.permission_id FROM auth_group_permissions AS g JOIN auth_user_groups AS u USING (group_id) WHERE u.user_id = ?0)`

// DjangoTokens recognises the tokens of Django REST Framework: "Authorization: Token 9944b0...".
type DjangoTokens struct{}

// CallerID implements [framework.Typed]: the ids of auth_user are integers.
func (DjangoTokens) CallerID() reflect.Type { return reflect.TypeFor[int64]() }

// Challenge implements [framework.Authenticator].
func (DjangoTokens) Challenge() string { return "Token" }

// Authenticate implements [framework.Authenticator].
func (DjangoTokens) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	words := strings.Fields(r.Header.Get("Authorization"))
	if len(words) == 0 || !strings.EqualFold(words[0], "Token") {
		return nil, nil
	}
	if len(words) != 2 {
		return nil, framework.InvalidCredentials("Invalid token header: send the word Token, a space and the token.")
	}
	var user User
	err := c.DB.NewSelect().Model(&user).Where("is_active").
		Where("id = (?)", c.DB.NewSelect().Model((*Token)(nil)).Column("user_id").Where("key = ?", words[1])).Scan(c)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, framework.InvalidCredentials("Invalid token.")
	}
	if err != nil {
		return nil, err
	}
	return user.caller(c, c.DB)
}

// caller returns the user with the permissions, which have the form patients.view here and
// view_patient in Django.
func (u *User) caller(ctx context.Context, db bun.IDB) (*framework.Caller, error) {
	var names string
	if err := db.NewRaw(permissionsOfUser, u.ID).Scan(ctx, &names); err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		right, model, _ := strings.Cut(name, "_")
		held[model+"s."+right] = true
	}
	return &framework.Caller{
		ID: u.ID, Name: u.Username, Email: u.Email, Staff: u.IsStaff, Superuser: u.IsSuperuser,
		Permissions: held, Scheme: "Token",
	}, nil
}
