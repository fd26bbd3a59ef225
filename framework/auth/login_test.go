package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
)

const (
	login  = "/api/auth/login"
	logout = "/api/auth/logout"
	token  = "/api/auth/token"
	me     = "/api/auth/me"
)

func TestLogin(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		r := d.Post(login, credentialsOf("Asha@Example.com ", goodPassword)).Expect(http.StatusOK)
		body := object(r)
		if got := members(body) + ": " + members(body["user"]); got != "expiresAt token tokenType user: createdAt email id name role" {
			d.Errorf("the body has %s", got)
		}
		r.Contains(`"tokenType":"Bearer"`, `"expiresAt":"2026-12-20T10:00:00Z"`, `"id":"`+user.ID.String()+`"`, `"name":"Asha"`, `"role":"user"`)
		r.Lacks("argon2", "password", "superuser", "active").Header("Cache-Control", "no-store").Header("Set-Cookie", "")
		d.knows(d.as("Bearer "+text(body["token"])), "asha@example.com")

		again := object(d.Post(login, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusOK))
		d.knows(d.as("Bearer "+text(again["token"])), "asha@example.com")
		d.knows(d.as("Bearer "+text(body["token"])), "asha@example.com")
		if again["token"] == body["token"] {
			d.Error("two logins have one token")
		}
		d.clock.turn(auth.DefaultTokenLife - time.Microsecond)
		d.knows(d.as("Bearer "+text(body["token"])), "asha@example.com")
		d.clock.turn(time.Microsecond)
		d.knows(d.as("Bearer "+text(body["token"])), "")
	})
}

// signIns are the four endpoints for signing in with a password.
var signIns = []string{login, token, "/api/auth/jwt", "/api/auth/session"}

// attempt signs in with an endpoint, as a browser would if the endpoint is for browsers.
func (d *desk) attempt(path string, body any) *frameworktest.Response {
	d.Helper()
	if path != "/api/auth/session" {
		return d.Post(path, body)
	}
	b := d.tab()
	b.do(http.MethodGet, nil).Expect(http.StatusOK)
	return b.do(http.MethodPost, body)
}

// TestAStoredEmailOfAnyFormSignsIn: registration rejects such an address, but an earlier
// version stored it.
func TestAStoredEmailOfAnyFormSignsIn(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		const stored = "ａｓｈａ@example.com"
		d.user("asha@example.com")
		_, err := d.db.ExecContext(d.Context(), "UPDATE auth_users SET email = '"+stored+"'")
		must(d.T, err)
		for _, path := range signIns {
			d.attempt(path, credentialsOf(stored, goodPassword)).Expect(http.StatusOK)
			d.attempt(path, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusUnauthorized)
		}
	})
}

func TestWhoCanSignIn(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		d.user("asha@example.com")
		d.inactive()
		for _, c := range []struct {
			name, code string
			body       any
			status     int
		}{
			{"by e-mail", "", credentialsOf("asha@example.com", goodPassword), 200},
			{"by user name", "", map[string]any{"username": "Asha@example.com", "password": goodPassword}, 200},
			{"by both, which are equal", "", map[string]any{"email": "asha@example.com", "username": "asha@example.com", "password": goodPassword}, 200},
			{"by both, which differ in case", "", map[string]any{"email": "Asha@example.com", "username": "asha@Example.com", "password": goodPassword}, 200},
			{"by both, which are no addresses and differ in case", "validation_failed", map[string]any{"email": "Asha", "username": "asha", "password": goodPassword}, 400},
			{"by both, which are no addresses and equal", "invalid_credentials", map[string]any{"email": "asha", "username": "asha", "password": goodPassword}, 401},
			{"by an address and a name that is none", "validation_failed", map[string]any{"email": "asha@example.com", "username": "asha", "password": goodPassword}, 400},
			{"by both, which differ", "validation_failed", map[string]any{"email": "asha@example.com", "username": "b@example.com", "password": goodPassword}, 400},
			{"by neither", "validation_failed", map[string]any{"password": goodPassword}, 400},
			{"without a password", "validation_failed", map[string]any{"email": "asha@example.com"}, 400},
			{"with an empty password", "validation_failed", credentialsOf("asha@example.com", ""), 400},
			{"with a wrong password", "invalid_credentials", credentialsOf("asha@example.com", "another four words walk"), 401},
			{"with the password in capitals", "invalid_credentials", credentialsOf("asha@example.com", strings.ToUpper(goodPassword)), 401},
			{"with a space after the password", "invalid_credentials", credentialsOf("asha@example.com", goodPassword+" "), 401},
			{"with more than a password can have", "invalid_credentials", credentialsOf("asha@example.com", strings.Repeat("x", 5000)), 401},
			{"as an unknown user", "invalid_credentials", credentialsOf("nobody@example.com", goodPassword), 401},
			{"as an invalid e-mail", "invalid_credentials", credentialsOf("asha", goodPassword), 401},
			{"as a statement", "invalid_credentials", credentialsOf("' OR '1'='1", goodPassword), 401},
			{"as an inactive user", "invalid_credentials", credentialsOf("gone@example.com", goodPassword), 401},
		} {
			for _, path := range signIns {
				d.Run(c.name+" "+path, func(t *testing.T) {
					r := d.on(t).attempt(path, c.body).Expect(c.status).Lacks(goodPassword, "argon2")
					if c.code != "" {
						r.Code(c.code).Lacks("token\"", "access", "csrfToken").Header("Set-Cookie", "")
					}
					if c.status == 401 {
						r.Header("WWW-Authenticate", `Bearer realm="api"`).Lacks("asha", "gone", "nobody")
					}
				})
			}
		}
	})
}

// TestAPasswordChangedMeanwhileDoesNotSignIn: if the password changes while it is
// checked, the login fails.
func TestAPasswordChangedMeanwhileDoesNotSignIn(t *testing.T) {
	for _, path := range signIns {
		t.Run(path, func(t *testing.T) {
			onDesk(t, unlimited, func(d *desk) {
				user := d.user("asha@example.com")
				changing := false
				auth.WhileHashing(d.service, func() {
					if !changing {
						changing = true
						must(d.T, d.service.Users.SetPassword(d.Context(), d.db.Session(), user.ID, "another four words walk"))
					}
				})
				d.clock.turn(time.Second)
				d.attempt(path, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusUnauthorized).Code(auth.CodeInvalidCredentials)
				if n := d.count("auth_tokens") + d.count("auth_sessions") + d.count("auth_jwt_families"); n != 0 {
					d.Errorf("there are %d credentials", n)
				}
				lines := d.log.Take(d.T)
				if len(lines) != 1 || lines[0]["reason"] != "changed" || lines[0]["user"] != user.ID.String() {
					d.Errorf("the audit log is %v", lines)
				}
			})
		})
	}
}

func TestTokenForScripts(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		for name, body := range map[string]map[string]any{
			"by e-mail":    credentialsOf("asha@example.com", goodPassword),
			"by user name": {"username": "asha@example.com", "password": goodPassword},
		} {
			got := object(d.Post(token, body).Expect(http.StatusOK).Contains(`"expiresAt":"2026-12-20T10:00:00Z"`))
			if members(got) != "expiresAt token" {
				d.Errorf("%s the body has %s", name, members(got))
			}
			d.knows(d.as("Token "+text(got["token"])), "asha@example.com")
		}
		mine, other := d.as("Token "+d.token(user)), d.as("Token "+d.token(user))
		mine.Delete(token).Expect(http.StatusNoContent)
		d.knows(mine, "")
		d.knows(other, "asha@example.com")
		mine.Delete(token).Expect(http.StatusUnauthorized).Code(framework.CodeInvalidToken)
		d.Delete(token).Expect(http.StatusUnauthorized).Code(framework.CodeAuthenticationRequired).Header("WWW-Authenticate", `Token realm="api"`)
		d.as("Bearer " + d.pair(user).Access).Delete(token).Expect(http.StatusUnauthorized).Code(framework.CodeInvalidToken)
		d.signedIn().client().Delete(token).Expect(http.StatusUnauthorized).Code(framework.CodeAuthenticationRequired)
		d.knows(other, "asha@example.com")
	})
}

func TestMe(t *testing.T) {
	set := func(c *auth.Config, f *framework.Config) {
		unlimited(c, f)
		c.Role = func(u auth.User) string { return "the one called " + u.Name }
	}
	onDesk(t, set, func(d *desk) {
		user := d.user("asha@example.com")
		for name, c := range map[string]*frameworktest.Client{
			"by token": d.as("Token " + d.token(user)), "by JWT": d.as("Bearer " + d.pair(user).Access), "by session": d.signedIn().client(),
		} {
			r := c.Get(me).Expect(http.StatusOK)
			want := `{"id":"` + user.ID.String() + `","email":"asha@example.com","name":"Asha","role":"the one called Asha","createdAt":"2026-11-20T10:00:00Z"}`
			if r.Body() != want {
				d.Errorf("%s: %s\nwant %s", name, r.Body(), want)
			}
			c.Get(me + "/").Expect(http.StatusOK)
		}
		d.Get(me).Expect(http.StatusUnauthorized).Code(framework.CodeAuthenticationRequired).
			Header("WWW-Authenticate", `Session realm="api", Token realm="api", Bearer realm="api"`).Header("Allow", "")
		d.as("Token trs_x").Get(me).Expect(http.StatusUnauthorized).Code(framework.CodeInvalidToken)
		d.Get(me + "?token=" + d.token(user)).Expect(http.StatusUnauthorized).Code(framework.CodeAuthenticationRequired)
	})
}

func TestTheUsualRoleIsStaffOrUser(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		boss, err := d.service.Users.CreateUser(d.Context(), d.db.Session(), auth.NewUser{Email: "boss@example.com", Password: goodPassword, Staff: true})
		must(d.T, err)
		root, err := d.service.Users.CreateUser(d.Context(), d.db.Session(), auth.NewUser{Email: "root@example.com", Password: goodPassword, Superuser: true})
		must(d.T, err)
		d.as("Token "+d.token(boss)).Get(me).Expect(http.StatusOK).Contains(`"role":"staff"`).Lacks("superuser", "permissions")
		d.as("Token "+d.token(root)).Get(me).Expect(http.StatusOK).Contains(`"role":"user"`).Lacks("superuser", "permissions")
	})
}

// TestLogoutEndsThatCredentialAndNoOther: the logout of each scheme revokes the
// credentials of the request, and no other.
func TestLogoutEndsThatCredentialAndNoOther(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		kinds := []struct {
			name string
			new  func() *frameworktest.Client
		}{
			{"token", func() *frameworktest.Client { return d.as("Token " + d.token(user)) }},
			{"bearer token", func() *frameworktest.Client { return d.as("Bearer " + d.token(user)) }},
			{"JWT", func() *frameworktest.Client { return d.as("Bearer " + d.pair(user).Access) }},
			{"session", func() *frameworktest.Client { return d.signedIn().client() }},
		}
		others := map[string]*frameworktest.Client{}
		for _, kind := range kinds {
			others[kind.name] = kind.new()
		}
		for _, kind := range kinds {
			d.Run(kind.name, func(t *testing.T) {
				d, c := d.on(t), kind.new().On(t)
				d.knows(c, "asha@example.com")
				c.Post(logout, nil).Expect(http.StatusNoContent)
				d.knows(c, "")
				for _, other := range others {
					d.knows(other.On(t), "asha@example.com")
				}
			})
		}
		d.Post(logout, nil).Expect(http.StatusUnauthorized).Code(framework.CodeAuthenticationRequired)
		d.signedIn().client().With("X-CSRFToken", "").Post(logout, nil).Expect(http.StatusForbidden).Code(auth.CodeCSRFFailed)
	})
}

// TestLogoutByJWTEndsItsRefreshToken: the refresh token of a login by JWT ends, too.
func TestLogoutByJWTEndsItsRefreshToken(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		pair := d.pair(d.user("asha@example.com"))
		d.as("Bearer "+pair.Access).Post(logout, map[string]any{}).Expect(http.StatusNoContent)
		d.Post("/api/auth/jwt/refresh", map[string]any{"refresh": pair.Refresh}).Expect(http.StatusUnauthorized).Code(framework.CodeInvalidToken)
	})
}
