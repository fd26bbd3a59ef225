package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

const (
	mePath       = "/api/auth/me"
	passwordPath = "/api/auth/password"
)

func passwordChangeOf(current, password string) map[string]any {
	return map[string]any{"currentPassword": current, "password": password}
}

// TestOptionalEndpointsAreOffByDefault: none of them exists, and /me shows what it always showed.
func TestOptionalEndpointsAreOffByDefault(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		bearer := d.as("Bearer " + d.token(d.user("asha@example.com")))
		for path, method := range map[string]string{
			passwordPath: http.MethodPost, emailPath: http.MethodPost, resetPath: http.MethodPost, confirmPath: http.MethodPost, verifyPath: http.MethodPost,
		} {
			bearer.Do(method, path, map[string]any{}).Expect(http.StatusNotFound)
		}
		for _, method := range []string{http.MethodPatch, http.MethodDelete} {
			bearer.Do(method, mePath, map[string]any{}).Expect(http.StatusMethodNotAllowed)
		}
		bearer.Get(mePath).Expect(http.StatusOK).Lacks("emailVerified")
	})
}

// TestPlainMe: GET /auth/me is what it is without the options; the new endpoints show more.
func TestPlainMe(t *testing.T) {
	inOffice(t, auth.AccountOptions{Change: true, Delete: true, Reset: true, Verify: true, PlainMe: true}, nil, func(o *office) {
		bearer := o.bearer(o.user("asha@example.com"))
		bearer.Get(mePath).Expect(http.StatusOK).Contains(`"email":"asha@example.com"`).Lacks("emailVerified")
		bearer.Patch(mePath, map[string]any{"name": "Asha"}).Expect(http.StatusOK).Contains(`"emailVerified":false`)
		bearer.Get(mePath).Expect(http.StatusOK).Contains(`"name":"Asha"`).Lacks("emailVerified")
	})
}

func TestChangeTheOwnName(t *testing.T) {
	inOffice(t, auth.AccountOptions{Change: true}, nil, func(o *office) {
		asha := o.user("asha@example.com")
		bearer := o.bearer(asha)
		for _, c := range []struct {
			name string
			body map[string]any
			want string
		}{
			{"another name", map[string]any{"name": " Asha Rao "}, "Asha Rao"},
			{"nothing", map[string]any{}, "Asha Rao"},
			{"no name", map[string]any{"name": ""}, ""},
		} {
			o.Run(c.name, func(t *testing.T) {
				got := object(bearer.On(t).Patch(mePath, c.body).Expect(http.StatusOK))
				if got["name"] != c.want || got["emailVerified"] != false || got["email"] != "asha@example.com" {
					t.Errorf("the account is %v", got)
				}
			})
		}
		bearer.Patch(mePath, map[string]any{"name": "a\nb"}).Expect(http.StatusBadRequest).Fault("/name", "line")
		bearer.Patch(mePath, map[string]any{"name": "\u202e"}).Expect(http.StatusBadRequest).Fault("/name", "line")
		bearer.Patch(mePath, map[string]any{"name": nil}).Expect(http.StatusBadRequest).Fault("/name", "null")
		bearer.Patch(mePath, map[string]any{"isStaff": true, "email": "b@example.com"}).Expect(http.StatusOK).Contains(`"email":"asha@example.com"`).
			Header("Trestle-Ignored", "/email, /isStaff")
		o.Patch(mePath, map[string]any{"name": "x"}).Expect(http.StatusUnauthorized)
		o.signedIn().client().With("X-CSRFToken", "").Patch(mePath, map[string]any{"name": "x"}).Expect(http.StatusForbidden).Code("csrf_failed")
	})
}

// TestChangeTheOwnPassword: the credential of the request stays, every other one ends.
func TestChangeTheOwnPassword(t *testing.T) {
	for _, with := range []string{"Token", "session", "JWT"} {
		t.Run(with, func(t *testing.T) {
			inOffice(t, auth.AccountOptions{Change: true}, nil, func(o *office) {
				asha, ben := o.user("asha@example.com"), o.user("ben@example.com")
				credentials := func() map[string]*frameworktest.Client {
					return map[string]*frameworktest.Client{
						"Token": o.as("Token " + o.token(asha)), "session": o.signedIn().client(), "JWT": o.as("Bearer " + o.pair(asha).Access),
					}
				}
				mine, others, his := credentials()[with], credentials(), o.bearer(ben)
				mine.Post(passwordPath, passwordChangeOf(goodPassword, newPassword)).Expect(http.StatusNoContent)
				o.only("asha@example.com: api: your password was changed")
				o.knows(mine, "asha@example.com")
				for name, c := range others {
					if c.Get("/api/groups/who/").Status() != http.StatusUnauthorized {
						o.Errorf("another %s is still accepted", name)
					}
				}
				o.knows(his, "ben@example.com")
				o.signsIn("asha@example.com", newPassword)
				o.rejectsOldPassword()
			})
		})
	}
}

func TestChangeTheOwnPasswordRejects(t *testing.T) {
	inOffice(t, auth.AccountOptions{Change: true}, nil, func(o *office) {
		bearer := o.bearer(o.user("asha@example.com"))
		for _, c := range []struct {
			name string
			body map[string]any
			at   string
			code string
		}{
			{"nothing", map[string]any{}, "/currentPassword", "required"},
			{"a wrong password", passwordChangeOf("another four words walk", newPassword), "/currentPassword", "wrong_password"},
			{"a short password", passwordChangeOf(goodPassword, "short"), "/password", "too_short"},
			{"a common password", passwordChangeOf(goodPassword, "iloveyou1"), "/password", "too_common"},
			{"the e-mail as password", passwordChangeOf(goodPassword, "asha@example.com"), "/password", "same_as_email"},
		} {
			o.Run(c.name, func(t *testing.T) {
				bearer.On(t).Post(passwordPath, c.body).Expect(http.StatusBadRequest).Code("validation_failed").Fault(c.at, c.code).Lacks("iloveyou")
			})
		}
		o.Post(passwordPath, passwordChangeOf(goodPassword, newPassword)).Expect(http.StatusUnauthorized)
		o.signsIn("asha@example.com", goodPassword)
		o.only()
	})
}

// TestAStolenTokenCannotGuessThePassword: attempts count as sign-ins of the account.
func TestAStolenTokenCannotGuessThePassword(t *testing.T) {
	inOffice(t, auth.AccountOptions{Change: true, Delete: true}, rates(map[string]throttle.Rate{auth.ScopeLogin: {Limit: 2, Per: time.Hour}}), func(o *office) {
		bearer := o.bearer(o.user("asha@example.com"))
		bearer.Post(passwordPath, passwordChangeOf("wrong password", newPassword)).Expect(http.StatusBadRequest)
		bearer.Do(http.MethodDelete, mePath, map[string]any{"password": "wrong password"}).Expect(http.StatusBadRequest).Fault("/password", "wrong_password")
		bearer.Post(passwordPath, passwordChangeOf(goodPassword, newPassword)).Expect(http.StatusTooManyRequests)
		reasons := 0
		for _, line := range o.log.Take(o.T) {
			if line["event"] == "login_failed" && line["reason"] == "password" {
				reasons++
			}
		}
		if reasons != 2 {
			o.Errorf("the audit log has %d failures", reasons)
		}
	})
}

// visit is a table of the program that refers to users.
const visits = "CREATE TABLE visits (id integer PRIMARY KEY, user_id %s NOT NULL REFERENCES auth_users (id))"

func (o *office) visitOf(user auth.User) {
	o.Helper()
	kind := map[sqldb.Kind]string{sqldb.PostgreSQL: "uuid", sqldb.SQLite: "text"}[o.db.Kind()]
	_, err := o.db.ExecContext(o.Context(), strings.Replace(visits, "%s", kind, 1))
	must(o.T, err)
	_, err = o.db.ExecContext(o.Context(), "INSERT INTO visits VALUES (1, ?)", user.ID)
	must(o.T, err)
}

func TestDeleteTheOwnAccount(t *testing.T) {
	inOffice(t, auth.AccountOptions{Delete: true}, nil, func(o *office) {
		asha, ben := o.user("asha@example.com"), o.user("ben@example.com")
		must(o.T, o.service.Users.Grant(o.Context(), o.db.Session(), asha.ID, "groups.view"))
		token, pair, browser, his := o.token(asha), o.pair(asha), o.signedIn(), o.bearer(ben)
		proof := map[string]any{"password": goodPassword}
		o.Do(http.MethodDelete, mePath, proof).Expect(http.StatusUnauthorized)
		browser.client().With("X-CSRFToken", "").Do(http.MethodDelete, mePath, proof).Expect(http.StatusForbidden)
		browser.client().Do(http.MethodDelete, mePath, map[string]any{}).Expect(http.StatusBadRequest).Fault("/password", "required")
		r := browser.client().Do(http.MethodDelete, mePath, proof).Expect(http.StatusNoContent)
		browser.keep(r)
		if len(browser.cookies) != 0 {
			o.Errorf("the browser keeps %v", browser.cookies)
		}
		o.knows(o.as("Bearer "+token), "")
		o.knows(o.as("Bearer "+pair.Access), "")
		o.rejectsOldPassword()
		o.knows(his, "ben@example.com")
		for _, table := range []string{"auth_sessions", "auth_jwt_families", "auth_user_permissions"} {
			if n := o.count(table); n != 0 {
				o.Errorf("%s still has %d rows", table, n)
			}
		}
		o.Post(register, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusCreated)
	})
}

// TestAnAccountThatIsReferredTo: by default the account stays. The function of the program deletes
// or moves the rows in the same transaction, or keeps the account.
func TestAnAccountThatIsReferredTo(t *testing.T) {
	proof := map[string]any{"password": goodPassword}
	remove := func(c *framework.Call, user auth.User) error {
		_, err := c.DB.NewDelete().Table("visits").Where("user_id = ?", user.ID).Exec(c)
		return err
	}
	for _, c := range []struct {
		name         string
		before       func(*framework.Call, auth.User) error
		status       int
		code, detail string
		users, visit int64
	}{
		{"no function", nil, http.StatusConflict, "still_referenced", "Other records refer to this account.", 1, 1},
		{"a function that deletes the rows", remove, http.StatusNoContent, "", "", 0, 0},
		{
			"a function that keeps the account",
			func(c *framework.Call, user auth.User) error {
				if err := remove(c, user); err != nil {
					return err
				}
				return framework.Conflict(framework.CodeConflict, "A visit is not paid yet.")
			},
			http.StatusConflict, "conflict", "A visit is not paid yet.", 1, 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inOffice(t, auth.AccountOptions{Delete: true, BeforeDelete: c.before}, nil, func(o *office) {
				asha := o.user("asha@example.com")
				o.visitOf(asha)
				bearer := o.bearer(asha)
				r := bearer.Do(http.MethodDelete, mePath, proof).Expect(c.status)
				if c.code != "" {
					r.Code(c.code).Contains(c.detail)
					o.knows(bearer, "asha@example.com")
				}
				if users, visit := o.count("auth_users"), o.count("visits"); users != c.users || visit != c.visit {
					o.Errorf("there are %d users and %d visits", users, visit)
				}
			})
		})
	}
}

// TestUsersChangedByCode: the methods of Users for programs with endpoints of their own.
func TestUsersChangedByCode(t *testing.T) {
	onDesk(t, nil, func(d *desk) {
		users, s, asha := d.service.Users, d.db.Session(), d.user("asha@example.com")
		d.user("ben@example.com")
		must(d.T, users.SetName(d.Context(), s, asha.ID, "Rao"))
		must(d.T, users.SetEmail(d.Context(), s, asha.ID, "RAO@example.com"))
		got, err := users.UserByID(d.Context(), s, asha.ID)
		must(d.T, err)
		if got.Name != "Rao" || got.Email != "rao@example.com" || got.EmailVerifiedAt != nil {
			d.Errorf("the user is %+v", got)
		}
		for name, err := range map[string]error{
			"a taken e-mail":    users.SetEmail(d.Context(), s, asha.ID, "ben@example.com"),
			"an invalid e-mail": users.SetEmail(d.Context(), s, asha.ID, "ben"),
			"an invalid name":   users.SetName(d.Context(), s, asha.ID, "a\nb"),
			"an unknown user":   users.SetName(d.Context(), s, uuid.New(), "x"),
			"no user to delete": users.DeleteUser(d.Context(), s, uuid.New()),
		} {
			if err == nil {
				d.Errorf("%s is accepted", name)
			}
		}
	})
}
