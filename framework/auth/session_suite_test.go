package auth_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestSessionsAreAnAuthenticator checks the contract of framework.Authenticator.
func TestSessionsAreAnAuthenticator(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
		users, err := auth.NewUsers(auth.Options{})
		must(t, err)
		user, err := users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: "asha@example.com", Password: "four unrelated words walk"})
		must(t, err)
		sessions, err := auth.NewSessions(auth.SessionOptions{})
		must(t, err)
		cookies := signIn(t, db, sessions, user)
		frameworktest.TestAuthenticator(t, frameworktest.AuthenticatorCase{
			Authenticator: sessions, DB: db, Caller: user.ID, Secrets: []string{cookies},
			Valid: func(r *http.Request) { r.Header.Set("Cookie", cookies) },
		})
	})
}

// signIn calls the endpoints of the example and returns the cookie of the session.
func signIn(t *testing.T, db *sqldb.DB, sessions *auth.Sessions, user auth.User) string {
	t.Helper()
	enter := func(c *framework.Call, _ framework.None) (session, error) {
		token, err := sessions.Begin(c, user)
		return session{user.Email, token}, err
	}
	api := framework.New(framework.Config{DB: db, Permission: framework.Anyone()})
	api.Register(framework.ViewSet[auth.Group]{
		Name: "auth", Scope: framework.Public(),
		Collection: []framework.CollectionAction{
			framework.OnCollection(http.MethodGet, "session", browserLogin{sessions: sessions}.show),
			framework.OnCollection(http.MethodPost, "session", enter),
		},
	})
	handler, err := api.Handler()
	must(t, err)
	ask := func(method string, headers map[string]string) map[string]string {
		r := httptest.NewRequest(method, "/api/auth/session", bytes.NewReader(nil))
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		got := map[string]string{}
		for _, c := range w.Result().Cookies() {
			got[c.Name] = c.Value
		}
		return got
	}
	before := ask(http.MethodGet, nil)
	after := ask(http.MethodPost, map[string]string{"Cookie": "presession=" + before["presession"], "X-CSRFToken": before["csrftoken"]})
	if len(after["sessionid"]) != 43 || strings.Contains(after["csrftoken"], after["sessionid"]) {
		t.Fatalf("the cookies are %v", after)
	}
	return "sessionid=" + after["sessionid"]
}
