package accounts

import (
	"bytes"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
)

func TestUsersAreListedInPartsOfAnySize(t *testing.T) {
	t.Parallel()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, framework.Migrations(), auth.Migrations()); err != nil {
			t.Fatal(err)
		}
		service, err := auth.New(auth.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, email := range []string{"a@example.com", "b@example.com", "c@example.com"} {
			if _, err := service.Users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: email, Password: "correct horse battery"}); err != nil {
				t.Fatal(err)
			}
		}
		s := &site.Site{DB: db, Users: service.Users}
		for _, atOnce := range []int{1, 2, 5} {
			var out bytes.Buffer
			if err := writeUsers(t.Context(), s, &out, atOnce); err != nil {
				t.Fatal(err)
			}
			var emails []string
			for line := range strings.Lines(out.String()) {
				emails = append(emails, strings.Fields(line)[1])
			}
			if got := strings.Join(emails, " "); got != "EMAIL a@example.com b@example.com c@example.com" {
				t.Errorf("%d at a time the list is of %s", atOnce, got)
			}
		}
	})
}
