package auth_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
)

// TestEndpoints checks the endpoints and who may use them.
func TestEndpoints(t *testing.T) {
	want := strings.TrimSpace(`
POST /api/auth/register: anyone
POST /api/auth/login: anyone
POST /api/auth/logout: authenticated
GET /api/auth/me: authenticated
POST /api/auth/token: anyone
DELETE /api/auth/token: authenticated
GET /api/auth/session: anyone
POST /api/auth/session: anyone
DELETE /api/auth/session: anyone
POST /api/auth/jwt: anyone
POST /api/auth/jwt/refresh: anyone
POST /api/auth/jwt/revoke: anyone`)
	for name, permission := range map[string]framework.Permission{
		"by default": nil, "of an API that is open": framework.Anyone(), "of an API for staff": framework.Staff(),
	} {
		t.Run(name, func(t *testing.T) {
			service, err := auth.New(auth.Config{})
			must(t, err)
			db, err := sqldb.Open("postgres://nobody@localhost/nothing", sqldb.Options{}) // never connects
			must(t, err)
			defer func() { _ = db.Close() }()
			api := framework.New(framework.Config{DB: db, Permission: permission, Authentication: service.Authentication(), Codes: service.Codes()})
			api.Register(service.ViewSet())
			must(t, api.Check())
			var lines []string
			for _, r := range api.Routes()[1:] {
				lines = append(lines, fmt.Sprintf("%s %s: %s", r.Method, r.Path, r.Permission))
				if r.Doc == "" {
					t.Errorf("%s %s is not described", r.Method, r.Path)
				}
			}
			if got := strings.Join(lines, "\n"); got != want {
				t.Errorf("the endpoints are\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestMethodsThatAreNotAllowed: a path accepts only its methods, with and without a
// slash, and lists them.
func TestMethodsThatAreNotAllowed(t *testing.T) {
	offered := map[string]string{
		"register": "POST, OPTIONS", "login": "POST, OPTIONS", "logout": "POST, OPTIONS", "me": "GET, HEAD, OPTIONS", "token": "POST, DELETE, OPTIONS",
		"session": "GET, HEAD, POST, DELETE, OPTIONS", "jwt": "POST, OPTIONS", "jwt/refresh": "POST, OPTIONS", "jwt/revoke": "POST, OPTIONS",
	}
	onDesk(t, unlimited, func(d *desk) {
		known := d.as("Token " + d.token(d.user("asha@example.com")))
		for name, allow := range offered {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} {
				for _, slash := range []string{"", "/"} {
					path := "/api/auth/" + name + slash
					r := d.Do(method, path, nil)
					if strings.Contains(allow, method) {
						if r.Status() == http.StatusMethodNotAllowed || r.Status() == http.StatusNotFound || r.Status() >= 500 {
							d.Errorf("%s %s: %d %s", method, path, r.Status(), r.Body())
						}
						continue
					}
					r.Expect(http.StatusMethodNotAllowed).Code(framework.CodeMethodNotAllowed).Header("Allow", allow)
					known.Do(method, path, nil).Expect(http.StatusMethodNotAllowed).Header("Allow", allow)
				}
			}
			d.Do(http.MethodOptions, "/api/auth/"+name, nil).Expect(http.StatusOK).Header("Allow", allow)
			d.With("X-HTTP-Method-Override", "DELETE").Do(http.MethodPut, "/api/auth/"+name, nil).Expect(http.StatusMethodNotAllowed)
		}
		for _, path := range []string{"", "/", "/x", "/jwt/x", "/session/x", "/Login", "//login"} {
			known.Get("/api/auth" + path).Expect(http.StatusNotFound).Code(framework.CodeNotFound)
		}
	})
}

// TestBodies tries bodies on endpoints that accept a body and on endpoints that do not.
func TestBodies(t *testing.T) {
	takes := []string{register, login, token, jwtPath, sessionPath, refreshPath, revokePath}
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		b := d.tab()
		b.do(http.MethodGet, nil).Expect(http.StatusOK)
		for _, path := range takes {
			for _, c := range []struct {
				name, contentType string
				body              any
				status            int
				code              string
			}{
				{"nothing", "", nil, 400, "invalid_json"},
				{"an empty body with a type", "application/json", "", 400, "invalid_json"},
				{"an array", "application/json", []any{credentialsOf("asha@example.com", goodPassword)}, 400, "invalid_json"},
				{"null", "application/json", "null", 400, "invalid_json"},
				{"text", "application/json", `"x"`, 400, "invalid_json"},
				{"two objects", "application/json", `{}{}`, 400, "invalid_json"},
				{"half an object", "application/json", `{"email":`, 400, "invalid_json"},
				{"a name twice", "application/json", `{"password":"a","password":"b","refresh":"a","refresh":"b"}`, 400, "invalid_json"},
				{"invalid UTF-8", "application/json", "{\"email\":\"\xff\"}", 400, "invalid_json"},
				{"a form", "application/x-www-form-urlencoded", "email=asha%40example.com", 415, "unsupported_media_type"},
				{"plain text", "text/plain", `{}`, 415, "unsupported_media_type"},
				{"another charset", "application/json; charset=utf-16", `{}`, 415, "unsupported_media_type"},
			} {
				d.Run(path+" "+c.name, func(t *testing.T) {
					client := b.client().On(t)
					if c.contentType != "" {
						client = client.With("Content-Type", c.contentType)
					}
					client.Post(path, c.body).Expect(c.status).Code(c.code).Header("Set-Cookie", "")
				})
			}
		}
		for _, c := range []struct {
			method, path string
			new          func() string
		}{
			{http.MethodPost, logout, func() string { return "Token " + d.token(user) }},
			{http.MethodDelete, token, func() string { return "Token " + d.token(user) }},
			{http.MethodDelete, sessionPath, func() string { return "" }},
		} {
			d.Run(c.method+" "+c.path, func(t *testing.T) {
				d := d.on(t)
				d.as(c.new()).Do(c.method, c.path, nil).Expect(http.StatusNoContent).Header("Trestle-Ignored", "")
				d.as(c.new()).Do(c.method, c.path, map[string]any{}).Expect(http.StatusNoContent).Header("Trestle-Ignored", "")
				d.as(c.new()).Do(c.method, c.path, map[string]any{"all": true}).Expect(http.StatusNoContent).Header("Trestle-Ignored", "/all")
				d.as(c.new()).Do(c.method, c.path, []any{}).Expect(http.StatusBadRequest).Code("invalid_json")
				d.as(c.new()).With("Content-Type", "text/plain").Do(c.method, c.path, "x").Expect(http.StatusUnsupportedMediaType)
			})
		}
	})
}

// TestUnknownNamesAreReported: an unknown member is reported by its name only.
func TestUnknownNamesAreReported(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		d.user("asha@example.com")
		pair := d.signInByJWT()
		body := func(more map[string]any) map[string]any {
			more["is_superuser"], more["passwort"] = true, "kept to myself"
			return more
		}
		const told = "/is_superuser, /passwort; did you mean /password?"
		d.Post(register, body(credentialsOf("b@example.com", goodPassword))).Expect(http.StatusCreated).Header("Trestle-Ignored", told).Lacks("kept")
		for _, path := range signIns {
			r := d.attempt(path, body(credentialsOf("asha@example.com", goodPassword))).Expect(http.StatusOK).Lacks("kept")
			r.Header("Trestle-Ignored", told)
		}
		d.Post(refreshPath, body(map[string]any{"refresh": pair.Refresh})).Expect(http.StatusOK).Header("Trestle-Ignored", "/is_superuser, /passwort")
		d.Post(login+"?password=x", credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusOK).Header("Trestle-Ignored", "password")
		d.Get(sessionPath+"?token=x").Expect(http.StatusOK).Header("Trestle-Ignored", "token")
		if b, err := d.service.Users.FindUser(d.Context(), d.db.Session(), "b@example.com"); err != nil || b.IsSuperuser || b.IsStaff {
			d.Errorf("it made %+v, %v", b, err)
		}
	})
}

// TestSignInRunsNoScheme: endpoints for signing in ignore credentials.
func TestSignInRunsNoScheme(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		headers := map[string]string{
			"a token": "Token " + d.token(user), "an unknown token": "Token trs_x", "an expired JWT": "Bearer a.b.c", "an unknown scheme": "Basic YTpi", "junk": "\"",
		}
		n := 0
		for name, header := range headers {
			d.Run(name, func(t *testing.T) {
				n++
				d, pair := d.on(t), d.pair(user)
				d.Client = d.as(header)
				d.Post(register, credentialsOf(fmt.Sprintf("%d@example.com", n), goodPassword)).Expect(http.StatusCreated)
				for _, path := range []string{login, token, jwtPath} {
					d.Post(path, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusOK)
				}
				b := d.tab()
				b.Client = d.as("")
				b.do(http.MethodGet, nil).Expect(http.StatusOK)
				b.client().With("Authorization", header).Post(sessionPath, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusOK)
				next := d.refreshed(pair.Refresh)
				d.Post(revokePath, map[string]any{"refresh": next.Refresh}).Expect(http.StatusNoContent)
				d.Get("/api/").Expect(http.StatusOK)
			})
		}
	})
}

func TestTheRootListsTheEntryPoints(t *testing.T) {
	onDesk(t, nil, func(d *desk) {
		want := "auth/jwt auth/jwt/refresh auth/jwt/revoke auth/login auth/logout auth/me auth/register auth/session auth/token groups/held groups/open groups/who"
		entries := object(d.Get("/api/").Expect(http.StatusOK))
		if got := members(entries); got != want {
			d.Errorf("the root lists %s", got)
		}
		for name, at := range entries {
			if strings.HasPrefix(name, "auth/") && text(at) != d.URL()+"/api/"+name {
				d.Errorf("%s is at %v", name, at)
			}
		}
	})
}

// TestEveryCodeIsExplained: the type of each problem leads to a page that explains its
// code.
func TestEveryCodeIsExplained(t *testing.T) {
	onDesk(t, nil, func(d *desk) {
		want := []string{"invalid_credentials", "email_taken", "not_revocable", "tls_required", "csrf_failed", "refresh_superseded"}
		var codes, faults []framework.CodeInfo
		for _, code := range d.service.Codes() {
			if code.Status == 0 {
				faults = append(faults, code)
				continue
			}
			codes = append(codes, code)
		}
		if len(codes) != len(want) {
			d.Errorf("there are %d codes; want %d", len(codes), len(want))
		}
		for _, code := range want {
			d.Get("/api/errors/" + code).Expect(http.StatusOK).Contains("<code>" + code + "</code>")
		}
		for _, code := range codes {
			d.Get("/api/errors/"+code.Code).Expect(http.StatusOK).Contains(code.Title, fmt.Sprintf("status %d", code.Status))
		}
		for _, fault := range faults {
			d.Get("/api/errors/validation_failed").Expect(http.StatusOK).Contains(`<dt id="`+fault.Code+`">`, fault.Text)
			d.Get("/api/errors/" + fault.Code).Expect(http.StatusNotFound)
		}
		d.Post(login, credentialsOf("nobody@example.com", goodPassword)).Expect(http.StatusUnauthorized).Contains(`"type":"/api/errors/invalid_credentials"`)
	})
}

// TestLogoutOfAnotherScheme: a scheme of the program has nothing to revoke.
func TestLogoutOfAnotherScheme(t *testing.T) {
	onDesk(t, nil, func(d *desk) {
		user := d.user("asha@example.com")
		api := framework.New(framework.Config{
			DB: d.db, Codes: d.service.Codes(), Authentication: append([]framework.Authenticator{always{user}}, d.service.Authentication()...),
		})
		api.Register(d.service.ViewSet())
		d.Client = client(d.T, api)
		d.Post(logout, nil).Expect(http.StatusConflict).Code(auth.CodeNotRevocable)
		d.Get(me).Expect(http.StatusOK).Contains("asha@example.com")
	})
}
