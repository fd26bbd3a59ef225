package resources_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
)

// holdings are the credentials of a user in these tests: two logins of each
// kind. The tests change the first of them.
var holdings = []string{
	"session", "token", "jwt", "refresh",
	"other session", "other token", "other jwt", "other refresh",
}

// A person has two wallets.
type person struct {
	*world
	auth.User

	mine, spare wallet
}

func (w *world) person() *person {
	w.t.Helper()
	u := w.user()
	return &person{w, u, w.wallet(u), w.wallet(u)}
}

// show is the client with one of the credentials that are sent as such: all
// but refresh tokens.
func (p *person) show(holding string) *frameworktest.Client {
	kind, k := strings.TrimPrefix(holding, "other "), p.mine
	if kind != holding {
		k = p.spare
	}
	return k.show(p.client, map[string]string{"session": bySession, "token": byToken, "jwt": byJWT}[kind])
}

// refresh sends a refresh token.
func (p *person) refresh(holding string) *frameworktest.Response {
	p.t.Helper()
	k := p.mine
	if holding != "refresh" {
		k = p.spare
	}
	return p.client.Post("/api/auth/jwt/refresh", fields{"refresh": k.jwt.Refresh.Reveal()})
}

// holds checks that credentials are good, or are not.
func (p *person) holds(holding string, good bool) {
	p.t.Helper()
	refreshes := strings.HasSuffix(holding, "refresh")
	switch {
	case good && refreshes:
		p.refresh(holding).Expect(200)
	case good:
		p.show(holding).Get("/api/auth/me").Expect(200).Contains(p.ID.String())
	case refreshes:
		p.refresh(holding).Expect(401)
	default:
		p.unchanged(func() { p.rejected(holding) })
	}
}

// rejected sends credentials that are no longer valid. A cookie of an ended session
// counts as absent, and the server deletes it from the browser.
func (p *person) rejected(holding string) {
	p.t.Helper()
	code := "invalid_token"
	if strings.HasSuffix(holding, "session") {
		code = "authentication_required"
	}
	for _, answer := range []*frameworktest.Response{
		p.show(holding).Get("/api/auth/me"), p.show(holding).Get("/api/patients/"),
		p.show(holding).Post("/api/patients/", fields{"name": "A", "phone": "999"}), p.show(holding).Post("/api/auth/logout", nil),
	} {
		answer.Expect(401).Code(code).Lacks(p.Email, p.ID.String())
		if code == "authentication_required" && !clears(answer, "sessionid") {
			p.t.Errorf("the cookie of a session that has ended is not cleared; Set-Cookie is %q", answer.Headers().Values("Set-Cookie"))
		}
	}
}

// clears reports whether a response makes the browser forget a cookie.
func clears(r *frameworktest.Response, name string) bool {
	return slices.ContainsFunc((&http.Response{Header: r.Headers()}).Cookies(), func(c *http.Cookie) bool {
		return c.Name == name && c.Value == "" && c.MaxAge < 0
	})
}

// sends gives up credentials.
func (p *person) sends(scheme, method, path string) {
	p.t.Helper()
	p.mine.show(p.client, scheme).Do(method, path, nil).Expect(204)
}

// change changes the user's row, as another program might.
func (w *world) change(id uuid.UUID, column string, value any) {
	w.t.Helper()
	_, err := w.db.NewUpdate().Table("auth_users").Set("? = ?", bun.Ident(column), value).Where("id = ?", id).Exec(w.t.Context())
	w.must(err)
}

func (w *world) remove(table string, id uuid.UUID) {
	w.t.Helper()
	_, err := w.db.NewDelete().Table(table).Where("id = ?", id).Exec(w.t.Context())
	w.must(err)
}

// TestTheVeryNextRequest: credentials that a change ends are rejected from the next request
// on, and other credentials stay valid.
func TestTheVeryNextRequest(t *testing.T) {
	cases := []struct {
		name  string
		does  func(p *person)
		ended string
	}{
		{"nothing happens", func(*person) {}, "nothing"},

		{"the user is disabled", func(p *person) { p.must(p.identity.Users.SetActive(p.t.Context(), p.db.Session(), p.ID, false)) }, "everything"},
		{"the user is disabled by another program", func(p *person) { p.change(p.ID, "is_active", false) }, "everything"},
		{"the user's row is deleted", func(p *person) { p.remove("auth_users", p.ID) }, "everything"},
		{"the user is disabled for a moment", func(p *person) {
			for _, active := range []bool{false, true} {
				p.must(p.identity.Users.SetActive(p.t.Context(), p.db.Session(), p.ID, active))
			}
		}, "jwt, refresh, other jwt, other refresh"},
		{"the password changes", func(p *person) {
			p.must(p.identity.Users.SetPassword(p.t.Context(), p.db.Session(), p.ID, "another walk in June"))
		}, "everything"},

		{"the token's record is deleted", func(p *person) { p.remove("auth_tokens", p.mine.record.ID) }, "token"},
		{"the token is revoked by its record's id", func(p *person) {
			p.must(p.identity.Users.RevokeTokenByID(p.t.Context(), p.db.Session(), p.ID, p.mine.record.ID))
		}, "token"},
		{"all tokens are revoked", func(p *person) { p.must(p.identity.Users.RevokeTokens(p.t.Context(), p.db.Session(), p.ID)) }, "token, other token"},
		{"DELETE /api/auth/token", func(p *person) { p.sends(byToken, "DELETE", "/api/auth/token") }, "token"},
		{"DELETE /api/auth/token as Bearer", func(p *person) { p.sends(byBearer, "DELETE", "/api/auth/token") }, "token"},

		{"logout by a token", func(p *person) { p.sends(byToken, "POST", "/api/auth/logout") }, "token"},
		{"logout by a token as Bearer", func(p *person) { p.sends(byBearer, "POST", "/api/auth/logout") }, "token"},
		{"logout by a session", func(p *person) { p.sends(bySession, "POST", "/api/auth/logout") }, "session"},
		{"logout by a JWT", func(p *person) { p.sends(byJWT, "POST", "/api/auth/logout") }, "jwt, refresh"},

		{"DELETE /api/auth/session", func(p *person) { p.sends(bySession, "DELETE", "/api/auth/session") }, "session"},
		{"the session is ended by its id", func(p *person) {
			sessions, err := p.identity.Sessions.List(p.t.Context(), p.db.Session(), p.ID)
			p.must(err)
			p.must(p.identity.Sessions.EndByID(p.t.Context(), p.db.Session(), p.ID, sessions[0].ID))
		}, "session"},
		{"all sessions are ended", func(p *person) { p.must(p.identity.Sessions.EndAll(p.t.Context(), p.db.Session(), p.ID)) }, "session, other session"},

		{"POST /api/auth/jwt/revoke", func(p *person) {
			p.client.Post("/api/auth/jwt/revoke", fields{"refresh": p.mine.jwt.Refresh.Reveal()}).Expect(204)
		}, "jwt, refresh"},
		{"the JWT's login is revoked", func(p *person) {
			p.must(p.identity.JWT.RevokeFamily(p.t.Context(), p.db.Session(), p.mine.jwt.Family))
		}, "jwt, refresh"},
		{"the JWT's login is deleted", func(p *person) { p.remove("auth_jwt_families", p.mine.jwt.Family) }, "jwt, refresh"},
		{"all logins by JWT are revoked", func(p *person) { p.must(p.identity.JWT.RevokeUser(p.t.Context(), p.db.Session(), p.ID)) }, "jwt, refresh, other jwt, other refresh"},
		{"the refresh token is used", func(p *person) { p.refresh("refresh").Expect(200) }, "refresh"},
	}
	peopled(t, func(w *world) {
		for _, c := range cases {
			w.t.Run(c.name, func(t *testing.T) {
				w := w.on(t)
				p, neighbour := w.person(), w.person()
				for _, holding := range holdings {
					if !strings.HasSuffix(holding, "refresh") { // which is good once
						p.holds(holding, true)
					}
				}
				c.does(p)
				for _, holding := range holdings {
					p.holds(holding, c.ended != "everything" && !slices.Contains(strings.Split(c.ended, ", "), holding))
					neighbour.holds(holding, true)
				}
			})
		}
	})
}

// TestSigningInAfterwards: who is disabled or deleted, or whose password has
// changed, signs in no more than who never had an account.
func TestSigningInAfterwards(t *testing.T) {
	peopled(t, func(w *world) {
		for _, c := range []struct {
			name string
			does func(p *person)
		}{
			{"the user is disabled", func(p *person) { p.must(p.identity.Users.SetActive(p.t.Context(), p.db.Session(), p.ID, false)) }},
			{"the user's row is deleted", func(p *person) { p.remove("auth_users", p.ID) }},
			{"the password changes", func(p *person) {
				p.must(p.identity.Users.SetPassword(p.t.Context(), p.db.Session(), p.ID, "another walk in June"))
			}},
		} {
			w.t.Run(c.name, func(t *testing.T) {
				w := w.on(t)
				p := w.person()
				c.does(p)
				cookie, csrf := w.knock()
				client := w.client.With("Cookie", "presession="+cookie).With("X-CSRFToken", csrf)
				w.unchanged(func() {
					for _, way := range []string{"login", "token", "jwt", "session"} {
						refusal := client.Post("/api/auth/"+way, fields{"email": p.Email, "password": password}).Expect(401).Code("invalid_credentials").Header("Set-Cookie", "")
						alike(t, refusal, client.Post("/api/auth/"+way, fields{"email": newID().String() + "@clinic.example", "password": password}))
					}
				})
			})
		}
	})
}

// TestRightsTakenAway: what a caller may do is read with every request, by every
// scheme.
func TestRightsTakenAway(t *testing.T) {
	peopled(t, func(w *world) {
		s := w.stage(w.user())
		for _, scheme := range schemes {
			w.t.Run(scheme, func(t *testing.T) {
				w := w.on(t)
				k := w.wallet(w.user(staff, superuser))
				client := k.show(w.client, scheme)
				client.Get("/api/admin/").Expect(404)
				client.Get("/api/patients/" + s.patient + "/").Expect(200)
				client.Post("/api/manage/doctors/", fields{"name": "Dr Sen"}).Expect(201)

				w.change(k.user.ID, "is_staff", false)
				client.Get("/api/admin/").Expect(403)

				w.change(k.user.ID, "is_superuser", false)
				client.Get("/api/patients/" + s.patient + "/").Expect(404)
				client.Post("/api/manage/doctors/", fields{"name": "Dr Sen"}).Expect(403)

				w.must(w.identity.Users.Grant(t.Context(), w.db.Session(), k.user.ID, "doctors.add"))
				client.Post("/api/manage/doctors/", fields{"name": "Dr Sen"}).Expect(201)
				_, err := w.identity.Users.Revoke(t.Context(), w.db.Session(), k.user.ID, "doctors.add")
				w.must(err)
				client.Post("/api/manage/doctors/", fields{"name": "Dr Sen"}).Expect(403)
			})
		}
	})
}
