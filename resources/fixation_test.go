package resources_test

import (
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
)

// A browser has cookies, and the token from the last answer to its page.
type browser struct {
	*world

	session, presession, csrf string
}

// send sends a request as the browser's own page does, and keeps what the
// server says of cookies.
func (b *browser) send(method, path string, body any) *frameworktest.Response {
	b.t.Helper()
	var cookies []string
	for name, value := range map[string]string{"sessionid": b.session, "presession": b.presession} {
		if value != "" {
			cookies = append(cookies, name+"="+value)
		}
	}
	answer := b.client.With("Cookie", strings.Join(cookies, "; ")).With("X-CSRFToken", b.csrf).Do(method, path, body)
	for name, value := range map[string]*string{"sessionid": &b.session, "presession": &b.presession, "csrftoken": &b.csrf} {
		if set := cookieOf(answer, name); set != "" || clears(answer, name) {
			*value = set
		}
	}
	return answer
}

// open requests the session, as a page does when it is loaded.
func (b *browser) open() *frameworktest.Response {
	b.t.Helper()
	return b.send("GET", "/api/auth/session", nil).Expect(200)
}

func (b *browser) signIn(email string) {
	b.t.Helper()
	b.send("POST", "/api/auth/session", fields{"email": email, "password": password}).Expect(200).Contains(email)
}

// TestSessionsAreNotFixed: a session that an attacker planted in a browser before its user
// signs in is worthless after it.
func TestSessionsAreNotFixed(t *testing.T) {
	peopled(t, func(w *world) {
		for _, c := range []struct {
			name   string
			plants func(w *world, b *browser)
		}{
			{"nothing is planted", func(*world, *browser) {}},
			{"a session that was made up", func(_ *world, b *browser) { b.session = strings.Repeat("A", 43) }},
			{"a session that has ended", func(w *world, b *browser) {
				k := w.wallet(w.user())
				k.show(w.client, bySession).Delete("/api/auth/session").Expect(204)
				b.session = k.cookie
			}},
			{"the planter's own session", func(w *world, b *browser) { b.session, b.csrf = w.browse(w.user()) }},
			{"the planter's own session, which the page has seen", func(w *world, b *browser) {
				b.session, _ = w.browse(w.user())
				b.open()
			}},
			{"the planter's own presession", func(w *world, b *browser) { b.presession, b.csrf = w.knock() }},
			{"the presession as a session", func(_ *world, b *browser) { b.session = b.presession }},
		} {
			w.t.Run(c.name, func(t *testing.T) {
				w := w.on(t)
				b, victim := &browser{world: w}, w.user()
				b.open().Contains(`"user":null`)
				c.plants(w, b)
				planted := *b
				b.signIn(victim.Email)
				b.isNew(planted)
				b.send("GET", "/api/auth/me", nil).Expect(200).Contains(victim.ID.String())
				planted.knowsNothing(victim.Email)
			})
		}
	})
}

// isNew checks that a browser that has signed in has nothing left of before.
func (b *browser) isNew(before browser) {
	b.t.Helper()
	if len(b.session) != 43 || b.session == before.session || b.session == before.presession || b.presession != "" || b.csrf == before.csrf {
		b.t.Errorf("after signing in the browser has the session %q, presession %q, token %q; before it had %q, %q, %q",
			b.session, b.presession, b.csrf, before.session, before.presession, before.csrf)
	}
	forged := *b
	forged.csrf = before.csrf
	forged.send("POST", "/api/auth/logout", nil).Expect(403).Code("csrf_failed")
}

// knowsNothing checks that the cookies of a browser from before the sign-in lead
// to no session at all.
func (b *browser) knowsNothing(email string) {
	b.t.Helper()
	for _, cookie := range []string{b.session, b.presession} {
		old := &browser{world: b.world, session: cookie, presession: b.presession, csrf: b.csrf}
		old.send("GET", "/api/auth/me", nil).Expect(401).Lacks(email)
		old.send("POST", "/api/patients/", fields{"name": "A", "phone": "999"}).Expect(401)
		old.open().Contains(`"user":null`).Lacks(email)
	}
}

// TestSessionsOfOneBrowser: each sign-in begins a session of its own, and ends
// the one before.
func TestSessionsOfOneBrowser(t *testing.T) {
	peopled(t, func(w *world) {
		b, user, next := &browser{world: w}, w.user(), w.user()
		b.open()
		b.signIn(user.Email)
		first := *b
		b.send("POST", "/api/auth/session", fields{"email": user.Email, "password": "another walk in June"}).Expect(401).Code("invalid_credentials")
		b.send("GET", "/api/auth/me", nil).Expect(200).Contains(user.Email)
		for _, email := range []string{user.Email, next.Email} {
			before := *b
			b.signIn(email)
			b.isNew(before)
			before.send("GET", "/api/auth/me", nil).Expect(401)
			b.send("GET", "/api/auth/me", nil).Expect(200).Contains(email)
		}
		last := *b
		b.send("POST", "/api/auth/logout", nil).Expect(204)
		if b.session+b.presession+b.csrf != "" {
			w.t.Errorf("after logout the browser has the session %q, presession %q, token %q", b.session, b.presession, b.csrf)
		}
		for _, old := range []browser{first, last} {
			old.send("GET", "/api/auth/me", nil).Expect(401)
			old.send("POST", "/api/auth/session", fields{"email": user.Email, "password": password}).Expect(403).Code("csrf_failed")
		}
		b.open().Contains(`"user":null`)
		b.signIn(user.Email)
		b.send("GET", "/api/auth/me", nil).Expect(200).Contains(user.Email)
	})
}
