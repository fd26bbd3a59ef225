package console_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestOddPaths: no path makes a fault of the server, and the address of sessions has no page, which would show the token.
func TestOddPaths(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		asha, _, _ := filled(t, d)
		b := d.signedIn("asha@example.com")
		b.get("/admin").to("/admin/")
		for _, path := range []string{
			"", "/", "%2F", "%00", "{id}", "~", "tickets/{id}/", "tickets/%00/", "tickets/%00/~patch", "tickets/%ff/", "tickets/%2e%2e/", "tickets/a%2Fb/~delete",
			"tickets/?search=%00", "tickets/?a=%zz", "tickets/?;;", "agents/~find?q=%ff&key=%00", "tickets/~export?format=%00", "tickets/~post?agent_id=%00",
			"tickets/~post?agent_id=..", "~files/", "~sign-in?next=%zz", strings.Repeat("a/", 4000), "tickets/" + strings.Repeat("a", 9000) + "/~patch",
		} {
			if got := b.get("/admin/" + path); got.status >= http.StatusInternalServerError {
				t.Errorf("/admin/%.80s: status %d", path, got.status)
			}
		}
		for _, path := range []string{"auth/session", "auth/session/", "auth/session/~post", "auth/session/~delete", "auth/session/~json"} {
			b.get("/admin/" + path).is(404)
		}
		page := "/admin/tickets/" + asha.ID.String() + "/"
		got := b.get(page + "~json").is(200).says(`"title":"Printer is on fire"`)
		if policy := got.header.Get("Content-Security-Policy"); !strings.Contains(policy, "sandbox") || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("the JSON of a page is %s with the policy %s", got.header.Get("Content-Type"), policy)
		}
		b.get(page).says(`<a href="` + page + `~json">`)
		b.get("/admin/tickets/?search=';id;'").lacks("';id;'", "&#39;;id") // the command for a shell has no quote of another
	})
}

// TestCookiesOfOthers: over https the cookies have the prefix __Host-, and no cookie without it becomes one of the API with it.
func TestCookiesOfOthers(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		secure, err := auth.New(auth.Config{Log: slog.New(slog.DiscardHandler), Session: auth.SessionOptions{Secure: true}})
		if err != nil {
			t.Fatal(err)
		}
		d := openDeskOf(t, db, secure, nil)
		d.user("asha@example.com", false)
		page := d.browser().get("/admin/~sign-in").is(200)
		kept := map[string]string{}
		keep := func(s *seen) {
			for _, line := range s.header.Values("Set-Cookie") {
				set, err := http.ParseSetCookie(line)
				if err != nil || !strings.HasPrefix(set.Name, "__Host-console-") || set.Path != "/" || !set.Secure || !set.HttpOnly {
					t.Errorf("the cookie is %s", line)
				}
				kept[set.Name] = set.Value
			}
		}
		cookies := func(rename func(string) string) string {
			var all []string
			for name, value := range kept {
				all = append(all, rename(name)+"="+value)
			}
			return strings.Join(all, "; ")
		}
		same := func(name string) string { return name }
		keep(page)
		token := hiddenField.FindStringSubmatch(page.body)[2]
		keep(d.browser().send(http.MethodPost, "/admin/~sign-in", url.Values{"email": {"asha@example.com"}, "password": {password}, "~token": {token}},
			"Cookie", cookies(same), "Origin", strings.Replace(d.url, "http://", "https://", 1)).is(303))
		d.browser().send(http.MethodGet, "/admin/tickets/", nil, "Cookie", cookies(same)).is(200)
		d.browser().send(http.MethodGet, "/api/tickets/", nil, "Cookie", cookies(same)).is(401)
		for _, other := range []string{"console-__Host-", "console-", "__Secure-console-", "__Host-console-__Host-", "__Host-", ""} {
			rename := func(name string) string { return other + strings.TrimPrefix(name, "__Host-console-") }
			d.browser().send(http.MethodGet, "/admin/tickets/", nil, "Cookie", cookies(rename)).is(303)
		}
	})
}

// TestHeadersOfBrowsers: credentials and keys that a browser sends beside the cookies of the console do not reach the API.
func TestHeadersOfBrowsers(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		filled(t, d)
		secret, _, err := d.identity.Users.IssueToken(t.Context(), d.db.Session(), d.user("token@example.com", true), "test", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		d.browser().send(http.MethodGet, "/admin/tickets/", nil, "Authorization", "Token "+secret.Reveal()).is(303)
		b := d.signedIn("asha@example.com")
		b.send(http.MethodGet, "/admin/tickets/", nil, "If-None-Match", "*", "Range", "bytes=0-1", "Accept", "text/csv", "Idempotency-Key", "x", "Prefer", "x").is(200).says("Printer")
	})
}
