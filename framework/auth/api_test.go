package auth_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// whoView is the answer of the endpoint in these tests: its caller.
type whoView struct {
	Email  string `json:"email"`
	Scheme string `json:"scheme"`
}

func who(c *framework.Call, _ framework.None) (whoView, error) {
	return whoView{c.Caller.Email, c.Caller.Scheme}, nil
}

var groups = framework.ViewSet[auth.Group]{
	Name:  "groups",
	Scope: framework.Public(),
	Collection: []framework.CollectionAction{
		framework.OnCollection("GET", "who", who),
		framework.OnCollection("GET", "held", who).Permit(framework.Holds("groups.view")),
		framework.OnCollection("GET", "open", who).Permit(framework.Anyone()),
	},
}

// TestTokenProtectsAnAPI runs the scheme in an API, on both databases.
func TestTokenProtectsAnAPI(t *testing.T) {
	for name, url := range map[string]func(*testing.T) string{
		"sqlite":     func(t *testing.T) string { return "sqlite://" + filepath.Join(t.TempDir(), "auth.db") },
		"postgresql": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) { testTokenProtectsAnAPI(t, url(t)) })
	}
}

func testTokenProtectsAnAPI(t *testing.T, url string) {
	db, err := sqldb.Open(url, sqldb.Options{})
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
	users, err := auth.NewUsers(auth.Options{})
	must(t, err)
	user, err := users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: "asha@example.com", Password: "four unrelated words walk"})
	must(t, err)
	secret, _, err := users.IssueToken(t.Context(), db.Session(), user, "laptop", time.Hour)
	must(t, err)
	token := secret.Reveal()

	api := framework.New(framework.Config{DB: db, Authentication: []framework.Authenticator{auth.Token{}}})
	api.Register(groups)
	handler, err := api.Handler()
	must(t, err)
	handler = contracts.Of(t, "", api).Wrap(t, handler)

	revoke := func() error { return users.RevokeToken(t.Context(), db.Session(), token) }
	grant := func() error { return users.Grant(t.Context(), db.Session(), user.ID, "groups.view") }
	for _, c := range []struct {
		name          string
		before        func() error
		path, header  string
		status        int
		code, contain string
	}{
		{"with a token", nil, "who/", "Token " + token, 200, "", `"email":"asha@example.com","scheme":"Token"`},
		{"with a token as bearer", nil, "who/", "Bearer " + token, 200, "", "asha@example.com"},
		{"without credentials", nil, "who/", "", 401, "authentication_required", ""},
		{"a token in the URL", nil, "who/?token=" + token, "", 401, "authentication_required", ""},
		{"an unknown token", nil, "who/", "Token trs_" + strings.Repeat("A", 43), 401, "invalid_token", ""},
		{"an unknown scheme", nil, "who/", "Basic YTpi", 401, "invalid_token", "send Token or Bearer, a space and the credentials"},
		{"anonymous where anyone may", nil, "open/", "", 200, "", `"email":""`},
		{"a bad token where anyone may", nil, "open/", "Token trs_x", 401, "invalid_token", ""},
		{"without the permission", nil, "held/", "Token " + token, 403, "forbidden", ""},
		{"once it is granted", grant, "held/", "Token " + token, 200, "", "asha@example.com"},
		{"once the token is revoked", revoke, "held/", "Token " + token, 401, "invalid_token", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.before != nil {
				must(t, c.before())
			}
			r := httptest.NewRequest(http.MethodGet, "/api/groups/"+c.path, nil)
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			body := w.Body.String()
			if w.Code != c.status || !strings.Contains(body, c.contain) || !strings.Contains(body, c.code) {
				t.Errorf("%d %s; want %d with %q %q", w.Code, body, c.status, c.code, c.contain)
			}
			if challenge := w.Header().Get("WWW-Authenticate"); (challenge == `Token realm="api"`) != (c.status == 401) {
				t.Errorf("%d with the challenge %q", w.Code, challenge)
			}
			if strings.Contains(body, token) {
				t.Error("the body repeats the token")
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
