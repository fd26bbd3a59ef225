package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// filled returns a desk with two users, a superuser, an agent and a ticket of each user.
func filled(t *testing.T, d *desk) (asha, ravi *ticket, a *agent) {
	t.Helper()
	a = &agent{ID: uuid.Must(uuid.NewV7()), Name: "Meera"}
	d.insert(a)
	d.user("boss@example.com", true)
	first, second := d.user("asha@example.com", false), d.user("ravi@example.com", false)
	asha = &ticket{ID: uuid.Must(uuid.NewV7()), OwnerID: first.ID, AgentID: a.ID, Title: "Printer is on fire", Priority: 1, IsOpen: true}
	ravi = &ticket{ID: uuid.Must(uuid.NewV7()), OwnerID: second.ID, AgentID: a.ID, Title: "A secret of Ravi", Priority: 2, IsOpen: true}
	d.insert(&[]*ticket{asha, ravi})
	return asha, ravi, a
}

// TestPages: each address of the API has a page, with what the API shows this caller.
func TestPages(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		asha, ravi, a := filled(t, d)
		b := d.signedIn("asha@example.com")

		b.get("/admin/").is(200).says("asha@example.com", `href="/admin/tickets/"`, `href="/admin/agents/"`).lacks("/admin/auth/session")
		list := b.get("/admin/tickets/?priority=1&ordering=-title").is(200)
		list.says("Printer is on fire", "1 in all", `href="/admin/tickets/`+asha.ID.String()+`/"`, `aria-sort="descending"`,
			`href="/admin/tickets/?ordering=title&amp;priority=1"`, `href="/admin/tickets/~post"`, `value="1"`, `/admin/agents/`+a.ID.String()+`/`, "<bdi>Meera</bdi>")
		list.lacks("secret of Ravi")
		b.get("/admin/tickets/?search=&priority=1&is_open=").is(200).says("Printer is on fire")
		b.get("/admin/tickets/?priority=2").is(200).says("No row matches these filters.", "Remove all filters")
		b.get("/admin/tickets/?priority=high").is(400).says("priority", `id="filter-priority-error"`)
		b.get("/admin/agents/").is(200).says("Meera").lacks("agents/~post") // only holders of agents.change may

		b.get("/admin/tickets/"+asha.ID.String()+"/").is(200).says("<h1><bdi>Printer is on fire</bdi></h1>", "~patch", "~delete", "close/~post", ">Yes<")
		b.get("/admin/tickets/" + ravi.ID.String() + "/").is(404).lacks("secret of Ravi")
		b.get("/admin/tickets/" + uuid.NewString() + "/").is(404)
		b.get("/admin/nothing/").is(404).says("no such address")
		b.get("/admin/tickets/~purge").is(404)

		csv := b.get("/admin/tickets/~export?format=csv").is(200)
		csv.says("title", "Printer is on fire").lacks("secret of Ravi", "<html")
		if media := csv.header.Get("Content-Type"); !strings.HasPrefix(media, "text/csv") {
			t.Errorf("the export is %s", media)
		}
		if found := b.get("/admin/agents/~find?q=mee").is(200); found.body != fmt.Sprintf(`[{"key":"%s","text":"Meera"}]`, a.ID) {
			t.Errorf("the search found %s", found.body)
		}
		if found := b.get("/admin/tickets/~find?q=secret").is(200); found.body != "[]" {
			t.Errorf("the search found %s", found.body)
		}
	})
}

// TestForms: an operation has a form, faults are beside their fields, and what was entered stays.
func TestForms(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		asha, ravi, a := filled(t, d)
		b := d.signedIn("asha@example.com")

		const add = "/admin/tickets/~post"
		b.get(add).is(200).says(`<option value="`+a.ID.String()+`">Meera</option>`, `name="title"`, "required", `type="datetime-local"`, `<option value="true" selected>Yes</option>`)
		wrong := b.submit(add, url.Values{"title": {""}, "agent_id": {a.ID.String()}, "priority": {"9"}, "body": {"what I typed"}, "due_at": {"2026-02-30T10:00"}}).is(400)
		wrong.says(`href="#field-title"`, `id="field-priority-error"`, `id="field-due_at-error"`, "what I typed", `value="9"`, `aria-invalid="true"`, "<title>Error: Add ticket")
		made := b.submit(add, url.Values{"title": {"New"}, "agent_id": {a.ID.String()}, "priority": {"2"}, "is_open": {"false"}, "due_at": {"2026-12-24T10:30"}}).is(303)
		page := strings.TrimSuffix(made.header.Get("Location"), "?~said=created")
		page = strings.TrimSuffix(page, "?%7Esaid=created")
		b.get(made.header.Get("Location")).is(200).says("Added.", "24 Dec 2026, 10:30 UTC", ">No<")

		b.submit(page+"~patch", url.Values{"title": {"Newer"}, "due_at": {""}}).is(303)
		b.submit(page+"~patch", url.Values{"priority": {""}}).is(400).says(`id="field-priority-error"`)
		b.get(page).is(200).says("Newer", "none")
		b.submit(page+"close/~post", url.Values{"reason": {"boredom"}}).is(409).says("Boredom is no reason.", `value="boredom"`)
		b.submit(page+"close/~post", url.Values{"reason": {"done"}}).is(303)
		b.get(page + "~delete").is(200).says("Delete Newer")
		b.submit(page+"~delete", nil).is(303)
		b.get(page).is(404)

		for _, path := range []string{"~patch", "~delete"} { // of another's row
			b.get("/admin/tickets/" + ravi.ID.String() + "/" + path).is(404).lacks("secret of Ravi")
		}
		b.get("/admin/agents/~post").is(403).says("Your permissions do not include this operation.").lacks(`name="name"`)
		b.send(http.MethodPost, "/admin/agents/~post", b.form("/admin/", url.Values{"name": {"Mallory"}})).is(403).says(`value="Mallory"`) // by the API
		_ = asha
	})
}

// TestTwoEditors: what another person changed while a form was open is shown, and is not overwritten.
func TestTwoEditors(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		asha, _, _ := filled(t, d)
		one, two := d.signedIn("asha@example.com"), d.signedIn("asha@example.com")
		edit := "/admin/tickets/" + asha.ID.String() + "/~patch"
		open := one.form(edit, url.Values{"title": {"Printer was on fire"}, "priority": {"1"}, "body": {""}})
		two.submit(edit, url.Values{"title": {"Printer is on fire"}, "priority": {"5"}, "body": {"Call the brigade."}}).is(303)

		refused := one.send(http.MethodPost, edit, open).is(409)
		refused.says("Another person changed this meanwhile", `<td><bdi>5</bdi></td>`, "Call the brigade.", ">\nPrinter was on fire</textarea>")
		again := url.Values{}
		for _, hidden := range hiddenField.FindAllStringSubmatch(refused.body, -1) {
			again.Set(hidden[1], strings.ReplaceAll(hidden[2], "&#34;", `"`))
		}
		again.Set("title", "Printer was on fire")
		again.Set("priority", "5")
		again.Set("body", "Call the brigade.")
		one.send(http.MethodPost, edit, again).is(303)
		one.get(strings.TrimSuffix(edit, "~patch")).is(200).says("Printer was on fire", "Call the brigade.", ">5<")

		remove := strings.TrimSuffix(edit, "~patch") + "~delete"
		unseen := one.form(remove, nil)
		two.submit(edit, url.Values{"priority": {"2"}}).is(303)
		one.send(http.MethodPost, remove, unseen).is(409).says("Another person changed this meanwhile")
		one.submit(remove, nil).is(303)
	})
}

// TestSessions: no browser gets a page or sends a form without signing in, and no other site does it with its session.
func TestSessions(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		asha, _, a := filled(t, d)
		stranger := d.browser()
		page := "/admin/tickets/" + asha.ID.String() + "/"
		for _, path := range []string{"/admin/", "/admin/tickets/", page, page + "~patch", "/admin/tickets/~export?format=csv", "/admin/tickets/~find?q=a"} {
			if to := stranger.get(path).is(303).header.Get("Location"); !strings.HasPrefix(to, "/admin/~sign-in?next=%2Fadmin%2F") {
				t.Errorf("%s leads to %s", path, to)
			}
		}
		in := url.Values{"email": {"asha@example.com"}, "password": {"not-the-password"}}
		stranger.submit("/admin/~sign-in", in).is(401).says(`value="asha@example.com"`).lacks("not-the-password")
		for _, next := range []string{"https://evil.example/", "//evil.example/admin/", "/api/", `/admin/\evil`, "javascript:alert(1)", "/admin/../../x\n"} {
			b := d.browser()
			b.submit("/admin/~sign-in?"+url.Values{"next": {next}}.Encode(), url.Values{"email": {"asha@example.com"}, "password": {password}}).to("/admin/")
		}

		b := d.signedIn("asha@example.com")
		form := b.form(page+"~patch", url.Values{"title": {"Forged"}})
		for name, send := range map[string]func() *seen{
			"without a token": func() *seen {
				other := url.Values{"title": {"Forged"}}
				return b.send(http.MethodPost, page+"~patch", other)
			},
			"from another origin": func() *seen { return b.send(http.MethodPost, page+"~patch", form, "Origin", "https://evil.example") },
			"from another site":   func() *seen { return b.send(http.MethodPost, page+"~patch", form, "Sec-Fetch-Site", "cross-site") },
			"with another's token": func() *seen {
				other := d.signedIn("ravi@example.com").form("/admin/tickets/~post", nil)
				return b.send(http.MethodPost, page+"~patch", url.Values{"title": {"Forged"}, "~token": other["~token"]})
			},
		} {
			if got := send(); got.status != http.StatusForbidden {
				t.Errorf("%s: status %d; want 403", name, got.status)
			}
		}
		signIn := d.browser()
		login := signIn.form("/admin/~sign-in", url.Values{"email": {"asha@example.com"}, "password": {password}})
		signIn.send(http.MethodPost, "/admin/~sign-in", login, "Origin", "https://evil.example").is(403)
		b.get(page).is(200).lacks("Forged")

		// The cookies of the console are for its path, and the API does not take them.
		if sent := b.get("/api/tickets/"); sent.status != http.StatusUnauthorized {
			t.Errorf("the API answers %d to the cookies of the console; want 401", sent.status)
		}
		b.submit("/admin/", nil)
		out := b.form("/admin/", nil)
		b.send(http.MethodPost, "/admin/~sign-out", out).to("/admin/~sign-in")
		b.get(page).is(303)
		_ = a
	})
}

// TestHeaders: no page may be framed, kept, indexed, or run a script that is not the console's.
func TestHeaders(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		filled(t, d)
		b := d.signedIn("boss@example.com")
		for _, path := range []string{"/admin/", "/admin/tickets/", "/admin/tickets/~post", "/admin/nothing", "/admin/~sign-in?next=/admin/"} {
			got := b.get(path)
			for name, want := range map[string]string{
				"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			} {
				if value := got.header.Get(name); value != want {
					t.Errorf("%s: %s is %q; want %q", path, name, value, want)
				}
			}
			policy := got.header.Get("Content-Security-Policy")
			if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
				t.Errorf("%s: the policy is %q", path, policy)
			}
			got.lacks("style=", "onclick", "javascript:")
		}
	})
}

// TestHostileValues: a value is shown as text, whatever it has.
func TestHostileValues(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		asha, _, _ := filled(t, d)
		b := d.signedIn("asha@example.com")
		page := "/admin/tickets/" + asha.ID.String() + "/"
		for _, hostile := range []string{
			`<script>alert(1)</script>`, `" onmouseover="alert(1)`, `' autofocus onfocus='alert(1)`, `javascript:alert(1)`, `data:text/html,<script>alert(1)</script>`,
			`{{.Title}}`, "\u202Egnp.exe", `</title><img src=x onerror=alert(1)>`, strings.Repeat("W", 4000), `&lt;b&gt;`,
		} {
			b.submit(page+"~patch", url.Values{"title": {hostile}}).is(303)
			for _, path := range []string{page, "/admin/tickets/", page + "~patch", page + "~delete"} {
				b.get(path).is(200).lacks(`<script>alert`, ` onmouseover="`, `onfocus='`, `href="javascript:`, `href="data:text`, `<img`, `<b>`)
			}
			b.get(page).says(htmlText(hostile))
		}
	})
}

// clients are the headers that clients send with a GET.
var clients = map[string][]string{
	"curl":       {"User-Agent", "curl/8.5.0", "Accept", "*/*"},
	"fetch":      {"User-Agent", "Mozilla/5.0", "Accept", "*/*", "Sec-Fetch-Dest", "empty", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "same-origin"},
	"axios":      {"User-Agent", "axios/1.7", "Accept", "application/json, text/plain, */*"},
	"requests":   {"User-Agent", "python-requests/2.32", "Accept", "*/*", "Connection", "keep-alive"},
	"OkHttp":     {"User-Agent", "okhttp/4.12"},
	"Java 8":     {"User-Agent", "Java/1.8.0_392", "Accept", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"},
	"Excel":      {"User-Agent", "Microsoft.Data.Mashup", "Accept", "*/*"},
	"Postman":    {"User-Agent", "PostmanRuntime/7.43", "Accept", "*/*", "Cache-Control", "no-cache"},
	"Googlebot":  {"User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1)", "Accept", "text/html,application/xhtml+xml,application/signed-exchange;v=b3,application/xml;q=0.9,*/*;q=0.8"},
	"Slackbot":   {"User-Agent", "Slackbot-LinkExpanding 1.0", "Accept", "*/*", "Range", "bytes=0-32768"},
	"kube-probe": {"User-Agent", "kube-probe/1.31", "Accept", "*/*", "Connection", "close"},
	"wget":       {"User-Agent", "Wget/1.21", "Accept", "*/*", "Accept-Encoding", "identity"},
	"a browser":  {"User-Agent", "Mozilla/5.0", "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate"},
}

// TestSameAPI: the API answers every client the same with and without a console, but for the id and the time of the request.
func TestSameAPI(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		with := openDesk(t, db, nil)
		asha, _, _ := filled(t, with)
		without := openDesk(t, db, func(c *framework.Config) { c.Console = framework.Console{} })
		secret, _, err := with.identity.Users.IssueToken(t.Context(), db.Session(), with.user("token@example.com", true), "test", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for name, headers := range clients {
			for _, path := range []string{"/api/", "/api/agents/", "/api/tickets/?priority=x", "/api/tickets/" + asha.ID.String() + "/", "/api/nothing", "/nothing"} {
				for _, token := range []string{"", "Token " + secret.Reveal()} {
					sent := append([]string{"Authorization", token, "Host", "desk.example"}, headers...)
					a, b := with.browser().send(http.MethodGet, path, nil, sent...), without.browser().send(http.MethodGet, path, nil, sent...)
					if x, y := fixed(a, with), fixed(b, without); x != y {
						t.Errorf("%s, %s: with a console\n%s\nwithout\n%s", name, path, x, y)
					}
				}
			}
		}
	})
}

// fixed returns an answer without what differs between any two requests and servers.
func fixed(s *seen, d *desk) string {
	h := s.header.Clone()
	id := strings.TrimPrefix(h.Get("X-Request-Id"), "urn:uuid:")
	h.Del("Date")
	h.Del("X-Request-Id")
	text := fmt.Sprint(s.status, h, s.body)
	return strings.NewReplacer(id, "id", d.url, "http://desk").Replace(text)
}

// TestOtherErrorShape: faults are beside their fields whatever shape the API gives its errors.
func TestOtherErrorShape(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openDesk(t, db, func(c *framework.Config) { c.ErrorShape = framework.DRFShape{} })
		filled(t, d)
		b := d.signedIn("asha@example.com")
		b.submit("/admin/tickets/~post", url.Values{"title": {""}}).is(400).says(`id="field-title-error"`)
	})
}

// TestChoiceAmongMany: a field that names one of many rows has a search instead of a choice.
func TestChoiceAmongMany(t *testing.T) {
	onBoth(t, func(t *testing.T, d *desk) {
		filled(t, d)
		var many []*agent
		for i := range 70 {
			many = append(many, &agent{ID: uuid.Must(uuid.NewV7()), Name: fmt.Sprintf("Agent %02d", i)})
		}
		d.insert(&many)
		b := d.signedIn("asha@example.com")
		b.get("/admin/tickets/~post").is(200).says(`data-find="/admin/agents/~find?key=id"`).lacks("Agent 01")
		b.submit("/admin/tickets/~post", url.Values{"title": {"x"}, "agent_id": {"Agent 07"}}).is(400).says(`id="field-agent_id-error"`, `value="Agent 07"`)
		b.get("/admin/agents/").is(200).says(`rel="next" href="/admin/agents/?page=2"`)
		b.get("/admin/agents/?page=2").is(200).says(`rel="prev" href="/admin/agents/"`, "71 in all, 11 on this page")
	})
}
