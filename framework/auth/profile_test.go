package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A member is the own columns of a user in a table of the program.
type member struct {
	bun.BaseModel `bun:"table:members"`

	UserID uuid.UUID `bun:",pk"`
	Phone  string
	Rank   int
}

type newMember struct {
	Phone string `json:"phone" validate:"required,max=20" doc:"Where to call."`
}

type memberChange struct {
	Phone framework.Optional[string] `json:"phone" validate:"filled,max=20" doc:"Where to call."`
}

type memberView struct {
	Phone string `json:"phone" doc:"Where to call."`
	Rank  int    `json:"rank" doc:"The service sets it."`
}

// club are the functions of a program for its table.
var club = auth.Profile[newMember, memberChange, memberView]{
	Refuses: []string{framework.CodeConflict},
	Create: func(c *framework.Call, user auth.User, in newMember) error {
		if in.Phone == "barred" {
			return framework.Conflict(framework.CodeConflict, "This number is barred.")
		}
		_, err := c.Session().Exec(c, c.DB.NewInsert().Model(&member{UserID: user.ID, Phone: in.Phone, Rank: 1}))
		return err
	},
	Change: func(c *framework.Call, user auth.User, in memberChange) error {
		if !in.Phone.Given {
			return nil
		}
		if in.Phone.Value == "barred" {
			return framework.Conflict(framework.CodeConflict, "This number is barred.")
		}
		_, err := c.Session().Exec(c, c.DB.NewUpdate().Model((*member)(nil)).Set("phone = ?", in.Phone.Value).Where("user_id = ?", user.ID))
		return err
	},
	Show: func(c *framework.Call, user auth.User) (memberView, error) {
		rows, err := c.Session().Read(c, c.DB.NewSelect().Model((*member)(nil)).Column("phone", "rank").Where("user_id = ?", user.ID))
		var view memberView
		if err != nil || rows.Len() == 0 {
			return view, err
		}
		return view, rows.Scan(0, &view.Phone, &view.Rank)
	},
}

// withMembers is a desk whose users have own columns.
func withMembers(t *testing.T, usernames bool, test func(*desk)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
		kind := map[sqldb.Kind]string{sqldb.PostgreSQL: "uuid", sqldb.SQLite: "text"}[db.Kind()]
		_, err := db.ExecContext(context.Background(), fmt.Sprintf(
			"CREATE TABLE members (user_id %s PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE, phone text NOT NULL, rank integer NOT NULL)", kind))
		must(t, err)
		test(openDesk(t, db, func(own *auth.Config, common *framework.Config) {
			unlimited(own, common)
			own.Profile, own.Usernames, own.Account = club, usernames, auth.AccountOptions{Change: true, Delete: true}
		}))
	})
}

func memberOf(email string, profile any) map[string]any {
	return map[string]any{"email": email, "password": goodPassword, "profile": profile}
}

// TestOwnColumnsOfUsers: a registration writes them, /me shows and changes them, and they are
// deleted with the account.
func TestOwnColumnsOfUsers(t *testing.T) {
	for _, usernames := range []bool{false, true} {
		withMembers(t, usernames, func(d *desk) {
			body := memberOf("asha@example.com", map[string]any{"phone": " 555 1234 "})
			if usernames {
				body["username"] = "asha"
			}
			made := object(d.Post(register, body).Expect(http.StatusCreated))
			bearer := d.as("Bearer " + text(made["token"]))
			r := bearer.Get(mePath).Expect(http.StatusOK).Contains(`"profile":{"phone":"555 1234","rank":1}`, `"email":"asha@example.com"`, `"emailVerified":false`)
			if has := strings.Contains(r.Body(), `"username":"asha"`); has != usernames {
				d.Errorf("with user names %v the account is %s", usernames, r.Body())
			}
			bearer.Patch(mePath, map[string]any{"profile": map[string]any{"phone": "555 9999"}}).Expect(http.StatusOK).Contains(`"phone":"555 9999","rank":1`)
			bearer.Patch(mePath, map[string]any{"name": "Rao"}).Expect(http.StatusOK).Contains(`"phone":"555 9999"`, `"name":"Rao"`)
			bearer.Patch(mePath, map[string]any{"profile": map[string]any{}}).Expect(http.StatusOK).Contains(`"phone":"555 9999"`)
			bearer.Patch(mePath, map[string]any{"profile": map[string]any{"rank": 9}}).Expect(http.StatusOK).Contains(`"rank":1`).Header("Trestle-Ignored", "/profile/rank")
			bearer.Do(http.MethodDelete, mePath, map[string]any{"password": goodPassword}).Expect(http.StatusNoContent)
			if n := d.count("members"); n != 0 {
				d.Errorf("%d rows are left over", n)
			}
		})
	}
}

// TestOwnColumnsThatAreRejected: the faults have pointers into the profile, and nothing is stored.
func TestOwnColumnsThatAreRejected(t *testing.T) {
	withMembers(t, false, func(d *desk) {
		asha := object(d.Post(register, memberOf("asha@example.com", map[string]any{"phone": "555"})).Expect(http.StatusCreated))
		bearer := d.as("Bearer " + text(asha["token"]))
		for _, c := range []struct {
			name, at, code string
			profile        any
		}{
			{"no phone", "/profile/phone", "required", map[string]any{}},
			{"an empty phone", "/profile/phone", "required", map[string]any{"phone": " "}},
			{"a long phone", "/profile/phone", "max", map[string]any{"phone": strings.Repeat("5", 21)}},
			{"a number", "/profile/phone", "type", map[string]any{"phone": 5}},
			{"a text", "/profile", "type", "555"},
		} {
			d.Run(c.name, func(t *testing.T) {
				d.on(t).Post(register, memberOf("b@example.com", c.profile)).Expect(http.StatusBadRequest).Fault(c.at, c.code)
			})
		}
		d.Post(register, credentialsOf("b@example.com", goodPassword)).Expect(http.StatusBadRequest).Fault("/profile", "required")
		d.Post(register, memberOf("b@example.com", map[string]any{"phone": "barred"})).Expect(http.StatusConflict).Code("conflict")
		bearer.Patch(mePath, map[string]any{"profile": map[string]any{"phone": ""}}).Expect(http.StatusBadRequest).Fault("/profile/phone", "filled")
		bearer.Patch(mePath, map[string]any{"name": "Rao", "profile": map[string]any{"phone": "barred"}}).Expect(http.StatusConflict)
		bearer.Get(mePath).Contains(`"name":""`, `"phone":"555"`)
		if d.count("auth_users") != 1 || d.count("members") != 1 {
			d.Errorf("there are %d users and %d members", d.count("auth_users"), d.count("members"))
		}
	})
}

func TestAProfileNeedsItsFunctions(t *testing.T) {
	incomplete := club
	incomplete.Show = nil
	if _, err := auth.New(auth.Config{Profile: incomplete}); err == nil || !strings.Contains(err.Error(), "auth.Config: Profile: it needs the functions Create, Change and Show") {
		t.Errorf("%v", err)
	}
}
