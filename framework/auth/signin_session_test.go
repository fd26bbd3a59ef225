package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

const sessionPath = "/api/auth/session"

func TestABrowserSignsInAndOut(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		b := d.tab()
		before := object(b.do(http.MethodGet, nil).Expect(http.StatusOK).Contains(`"user":null`).Header("Cache-Control", "no-store"))
		if members(before) != "csrfToken user" || text(before["csrfToken"]) != b.csrf || b.cookies["presession"] == "" {
			d.Errorf("before: %v with the cookies %v", before, b.cookies)
		}
		first := b.cookies["presession"]

		r := b.do(http.MethodPost, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusOK).Lacks("trs_", "argon2", "superuser")
		after := object(r)
		if members(after) != "csrfToken user" || members(after["user"]) != "createdAt email id name role" || text(after["csrfToken"]) != b.csrf {
			d.Errorf("after: %v", after)
		}
		if b.cookies["sessionid"] == "" || b.cookies["sessionid"] == first || b.cookies["presession"] != "" || strings.Contains(r.Body(), b.cookies["sessionid"]) {
			d.Errorf("after signing in the cookies are %v", b.cookies)
		}
		d.knows(b.client(), "asha@example.com")
		b.do(http.MethodGet, nil).Expect(http.StatusOK).Contains(`"id":"` + user.ID.String() + `"`)

		old := b.client()
		b.do(http.MethodDelete, nil).Expect(http.StatusNoContent)
		if len(b.cookies) != 0 {
			d.Errorf("after signing out the cookies are %v", b.cookies)
		}
		d.knows(old, "")
		b.do(http.MethodGet, nil).Expect(http.StatusOK).Contains(`"user":null`)
		if d.count("auth_sessions") != 0 {
			d.Error("the session is still there")
		}
	})
}

// TestSigningInAnewEndsTheSessionBefore: a new login on a browser ends its earlier
// session, and no other one.
func TestSigningInAnewEndsTheSessionBefore(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		d.user("asha@example.com")
		d.user("bela@example.com")
		other, b := d.signedIn(), d.signedIn()
		old := b.client()
		b.do(http.MethodPost, credentialsOf("bela@example.com", goodPassword)).Expect(http.StatusOK)
		d.knows(b.client(), "bela@example.com")
		d.knows(old, "")
		d.knows(other.client(), "asha@example.com")
	})
}

// TestAForgedSignInIsRejectedBeforeThePassword: a forged sign-in is rejected before the password is
// checked: no hash is computed, and nothing is counted for the account.
func TestAForgedSignInIsRejectedBeforeThePassword(t *testing.T) {
	onDesk(t, nil, func(d *desk) {
		d.user("asha@example.com")
		b, stranger := d.tab(), d.tab()
		b.do(http.MethodGet, nil).Expect(http.StatusOK)
		stranger.do(http.MethodGet, nil).Expect(http.StatusOK)
		before := d.hashes.Load()
		for _, c := range []struct{ name, header, value string }{
			{"no token", "X-CSRFToken", ""},
			{"a token of another browser", "X-CSRFToken", stranger.csrf},
			{"a malformed token", "X-CSRFToken", "x"},
			{"no cookie", "Cookie", ""},
			{"another origin", "Origin", "https://evil.test"},
			{"no origin at all", "Origin", "null"},
			{"another site", "Sec-Fetch-Site", "cross-site"},
		} {
			for _, password := range []string{goodPassword, "another four words walk"} {
				d.Run(c.name, func(t *testing.T) {
					r := b.client().On(t).With(c.header, c.value).Post(sessionPath, credentialsOf("asha@example.com", password))
					r.Expect(http.StatusForbidden).Code(auth.CodeCSRFFailed).Header("Set-Cookie", "").Header("WWW-Authenticate", "")
					if limits := r.Headers().Get("RateLimit"); strings.Contains(limits, `"login"`) {
						t.Errorf("it was counted for the account: %s", limits)
					}
				})
			}
		}
		if d.hashes.Load() != before || d.count("auth_sessions") != 0 {
			d.Errorf("%d hashes and %d sessions", d.hashes.Load()-before, d.count("auth_sessions"))
		}
		if lines := d.log.Take(d.T); len(lines) != 0 {
			d.Errorf("the audit log is %v", lines)
		}
		b.do(http.MethodPost, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusOK)
	})
}

func TestSigningOutABrowser(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		d.tab().do(http.MethodDelete, nil).Expect(http.StatusNoContent)
		b := d.signedIn()
		b.client().With("X-CSRFToken", "").Delete(sessionPath).Expect(http.StatusForbidden).Code(auth.CodeCSRFFailed)
		b.client().With("Origin", "https://evil.test").Delete(sessionPath).Expect(http.StatusForbidden).Code(auth.CodeCSRFFailed)
		d.knows(b.client(), "asha@example.com")
		// This endpoint accepts no Authorization header.
		b.client().With("Authorization", "Token "+d.token(user)).Delete(sessionPath).Expect(http.StatusUnauthorized).Code(framework.CodeInvalidToken)
		b.client().With("Authorization", "Token "+d.token(user)).Get(sessionPath).Expect(http.StatusUnauthorized).Code(framework.CodeInvalidToken)
		d.knows(b.client(), "asha@example.com")
		b.do(http.MethodDelete, map[string]any{}).Expect(http.StatusNoContent)
	})
}

// TestAnEndedSessionCountsAsAbsent: a cookie that names no live session counts as absent and is
// cleared.
func TestAnEndedSessionCountsAsAbsent(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		for name, end := range map[string]func(){
			"ended":       func() { must(d.T, d.service.Sessions.EndAll(d.Context(), d.db.Session(), user.ID)) },
			"idle":        func() { d.clock.turn(auth.DefaultIdleLife) },
			"deactivated": func() { must(d.T, d.service.Users.SetActive(d.Context(), d.db.Session(), user.ID, false)) },
		} {
			must(d.T, d.service.Users.SetActive(d.Context(), d.db.Session(), user.ID, true))
			b := d.signedIn()
			end()
			b.do(http.MethodGet, nil).Expect(http.StatusOK).Contains(`"user":null`)
			if b.cookies["sessionid"] != "" || b.cookies["presession"] == "" {
				d.Errorf("%s: the cookies are %v", name, b.cookies)
			}
		}
	})
}
