package console_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A signature is a scheme of one endpoint. No request of these tests has it.
type signature struct{}

// Authenticate implements [framework.Authenticator].
func (signature) Authenticate(*framework.Call, *http.Request) (*framework.Caller, error) {
	return nil, nil
}

// Challenge implements [framework.Authenticator].
func (signature) Challenge() string { return "" }

// takeDelivery is a function for senders with a signature.
func takeDelivery(*framework.Call, framework.None) (framework.None, error) {
	return framework.None{}, nil
}

// serveTokens serves the agents to the holders of a token, with or without a console.
func serveTokens(t *testing.T, db *sqldb.DB, path string) *desk {
	t.Helper()
	identity, err := auth.New(auth.Config{Hashes: auth.HashOptions{Write: auth.Bcrypt(4)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context(), nil, framework.Migrations(), auth.Migrations(), tables()); err != nil {
		t.Fatal(err)
	}
	api := framework.New(framework.Config{
		DB: db, Authentication: []framework.Authenticator{auth.Token{}}, Pagination: page.Number{Size: 60}, Log: slog.New(slog.DiscardHandler),
		Guards: []framework.Guard{{Under: "agents", Permission: framework.Authenticated()}, {Under: "auth/list", Permission: framework.Staff()}}, Statuses: map[string]int{framework.CodeValidationFailed: 422},
		Console: framework.Console{Path: path},
	})
	api.Register(framework.ViewSet[agent]{
		Name: "agents", Verbs: framework.CRUD[agentInput, agentView](), Scope: framework.Public(), Ordering: framework.Ordering{Default: "name"},
		Permission: framework.OrReadOnly(framework.Holds("agents.change")),
		Collection: []framework.CollectionAction{
			framework.OnCollection(http.MethodPost, "deliveries", takeDelivery).Authenticate(signature{}).Permit(framework.Authenticated()),
		},
	})
	api.AddConsoleSignIn(identity.ConsoleSignIn())
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &desk{t: t, db: db, identity: identity, url: server.URL}
}

// TestConsoleOfTokens: people sign in to the console of an API that accepts tokens alone, and get the rights that they have there.
func TestConsoleOfTokens(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := serveTokens(t, db, "/admin/")
		d.user("boss@example.com", true)
		d.user("asha@example.com", false)

		stranger := d.browser()
		stranger.get("/admin/agents/").is(303)
		in := url.Values{"email": {"asha@example.com"}, "password": {"not-the-password"}}
		stranger.submit("/admin/~sign-in", in).is(401).says(`value="asha@example.com"`)
		form := stranger.form("/admin/~sign-in", url.Values{"email": {"asha@example.com"}, "password": {password}})
		stranger.send(http.MethodPost, "/admin/~sign-in", form, "Origin", "https://evil.example").is(403)

		b := d.signedIn("boss@example.com")
		b.submit("/admin/agents/~post", url.Values{"name": {"Meera"}}).is(303)
		b.submit("/admin/agents/~post", url.Values{"name": {""}}).is(422).says(`id="field-name-error"`)
		b.get("/admin/agents/").is(200).says("Meera", "1 in all")
		b.get("/admin/").is(200).says("boss@example.com", `href="/admin/agents/"`).lacks("auth/session")
		b.get("/admin/auth/session").is(404)
		b.get("/admin/auth/session/~post").is(404)
		noToken := url.Values{"name": {"Forged"}}
		b.send(http.MethodPost, "/admin/agents/~post", noToken).is(403)
		asha := d.signedIn("asha@example.com")
		asha.get("/admin/agents/").is(200).says("Meera").lacks("agents/~post")
		asha.get("/admin/agents/~post").is(403).lacks(`name="name"`)
		asha.send(http.MethodPost, "/admin/agents/~post", asha.form("/admin/", url.Values{"name": {"Mallory"}})).is(403)
		for _, one := range []*browser{asha, b} { // an endpoint with a scheme of its own accepts no session
			one.send(http.MethodPost, "/admin/agents/deliveries/~post", one.form("/admin/", nil)).is(401)
		}
		out := b.form("/admin/", nil)
		b.send(http.MethodPost, "/admin/~sign-out", out).to("/admin/~sign-in")
		b.get("/admin/agents/").is(303)
	})
}

// TestSameAPIOfTokens: the sign-in of the console changes nothing in the answers of the API, whatever cookies a client sends.
func TestSameAPIOfTokens(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		with, without := serveTokens(t, db, "/admin/"), serveTokens(t, db, "")
		secret, _, err := with.identity.Users.IssueToken(t.Context(), db.Session(), with.user("boss@example.com", true), "test", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		b := with.signedIn("boss@example.com")
		at, _ := url.Parse(with.url + "/admin/")
		var cookies []string
		for _, cookie := range b.client.Jar.Cookies(at) {
			cookies = append(cookies, cookie.String(), strings.TrimPrefix(cookie.String(), "console-"))
		}
		if !strings.Contains(strings.Join(cookies, "; "), " sessionid=") {
			t.Fatalf("the browser has the cookies %s", cookies)
		}
		for name, sent := range map[string][]string{
			"a visitor": nil, "a token": {"Authorization", "Token " + secret.Reveal()}, "the cookies of the console": {"Cookie", strings.Join(cookies, "; ")},
			"a wrong token and cookies": {"Authorization", "Token x", "Cookie", strings.Join(cookies, "; ")},
		} {
			for _, request := range []string{
				"GET /api/", "GET /api/agents/", "POST /api/agents/", "OPTIONS /api/agents/", "GET /api/openapi.json", "GET /api/docs", "GET /",
				"GET /api/auth/first/superuser", "POST /api/auth/first/superuser", "GET /api/auth/session", "POST /api/auth/session", "DELETE /api/auth/session", "GET /api/auth/", "GET /api/errors/csrf_failed",
			} {
				method, path, _ := strings.Cut(request, " ")
				headers := append([]string{"Host", "desk.example"}, sent...)
				x, y := fixed(with.browser().send(method, path, nil, headers...), with), fixed(without.browser().send(method, path, nil, headers...), without)
				if x != y {
					t.Errorf("%s, %s: with a console\n%s\nwithout\n%s", name, request, x, y)
				}
			}
		}
	})
}
