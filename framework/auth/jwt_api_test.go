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
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// jwtService is a service and a user on a database, with a clock that the test sets.
type jwtService struct {
	db    *sqldb.DB
	users *auth.Users
	jwt   *auth.JWT
	user  auth.User
	now   time.Time
}

func withJWT(t *testing.T, test func(*testing.T, *jwtService)) {
	t.Helper()
	for name, url := range map[string]func(*testing.T) string{
		"sqlite":     func(t *testing.T) string { return "sqlite://" + filepath.Join(t.TempDir(), "auth.db") },
		"postgresql": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) { test(t, newJWTService(t, url(t))) })
	}
}

func newJWTService(t *testing.T, url string) *jwtService {
	t.Helper()
	s := &jwtService{now: time.Now().UTC()}
	clock := func() time.Time { return s.now }
	var err error
	s.db, err = sqldb.Open(url, sqldb.Options{})
	must(t, err)
	t.Cleanup(func() { _ = s.db.Close() })
	must(t, s.db.Migrate(t.Context(), nil, auth.Migrations()))
	s.users, err = auth.NewUsers(auth.Options{Now: clock})
	must(t, err)
	key, err := auth.GenerateKey("test", auth.EdDSA)
	must(t, err)
	keys, err := auth.ParseKeys(key.Reveal())
	must(t, err)
	s.jwt, err = auth.NewJWT(auth.JWTOptions{Keys: keys, Issuer: "clinic", Now: clock})
	must(t, err)
	s.user, err = s.users.CreateUser(t.Context(), s.db.Session(), auth.NewUser{Email: "asha@example.com", Password: "four unrelated words walk"})
	must(t, err)
	return s
}

func (s *jwtService) login(t *testing.T) auth.Pair {
	t.Helper()
	pair, err := s.jwt.Issue(t.Context(), s.db.Session(), s.user)
	must(t, err)
	return pair
}

// TestJWTIsAnAuthenticator checks the contract of every authenticator.
func TestJWTIsAnAuthenticator(t *testing.T) {
	withJWT(t, func(t *testing.T, s *jwtService) {
		pair, ended := s.login(t), s.login(t)
		must(t, s.jwt.RevokeFamily(t.Context(), s.db.Session(), ended.Family))
		send := func(token string) func(*http.Request) {
			return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
		}
		frameworktest.TestAuthenticator(t, frameworktest.AuthenticatorCase{
			Authenticator: s.jwt, DB: s.db, Valid: send(pair.Access.Reveal()), Caller: s.user.ID,
			Invalid: map[string]func(*http.Request){
				"of a login that ended": send(ended.Access.Reveal()),
				"a refresh token":       send(pair.Refresh.Reveal()),
				"forged":                send(pair.Access.Reveal()[:200] + ".x"),
			},
			Secrets: []string{pair.Access.Reveal(), pair.Refresh.Reveal(), ended.Access.Reveal()},
		})
	})
}

type refreshInput struct {
	Refresh string `json:"refresh"`
}

type pairView struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh"`
}

// TestJWTProtectsAnAPI runs JWTs in an API: headers of three schemes, a refresh as an
// action, and a replay that ends the login although its answer is an error.
func TestJWTProtectsAnAPI(t *testing.T) {
	withJWT(t, func(t *testing.T, s *jwtService) {
		handler := jwtAPI(t, s)
		first := s.login(t)
		token, _, err := s.users.IssueToken(t.Context(), s.db.Session(), s.user, "", 0)
		must(t, err)

		get := func(authorization string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodGet, "/api/groups/who/", nil)
			r.Header.Set("Authorization", authorization)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w
		}
		refresh := func(token string, status int, code string) string {
			t.Helper()
			r := httptest.NewRequest(http.MethodPost, "/api/groups/refresh/", strings.NewReader(`{"refresh":"`+token+`"}`))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != status || !strings.Contains(w.Body.String(), code) || strings.Contains(w.Body.String(), token) {
				t.Errorf("refresh: %d %s; want %d %s", w.Code, w.Body, status, code)
			}
			_, access, _ := strings.Cut(w.Body.String(), `"access":"`)
			access, _, _ = strings.Cut(access, `"`)
			return access
		}
		check := func(name, authorization string, status int, contains string) {
			t.Helper()
			w := get(authorization)
			if w.Code != status || !strings.Contains(w.Body.String(), contains) {
				t.Errorf("%s: %d %s; want %d %q", name, w.Code, w.Body, status, contains)
			}
			want := `Token realm="api", Bearer realm="api"`
			if strings.HasPrefix(authorization, "Bearer ") {
				want += `, error="invalid_token"` // RFC 6750, section 3
			}
			if got := w.Header().Get("WWW-Authenticate"); (got == want) != (status == 401) {
				t.Errorf("%s: the challenge is %q", name, got)
			}
		}

		check("a JWT", "Bearer "+first.Access.Reveal(), 200, `"scheme":"JWT"`)
		check("an opaque token as Bearer", "Bearer "+token.Reveal(), 200, `"scheme":"Token"`)
		check("a JWT as Token", "Token "+first.Access.Reveal(), 401, "invalid_token")
		check("a refresh token", "Bearer "+first.Refresh.Reveal(), 401, "invalid_token")
		check("a Bearer that is neither", "Bearer x", 401, "invalid_token")

		second := refresh(first.Refresh.Reveal(), 200, `"refresh":"`)
		check("a refreshed JWT", "Bearer "+second, 200, `"scheme":"JWT"`)
		refresh(first.Refresh.Reveal(), 401, auth.CodeRefreshSuperseded)
		check("after a second tab", "Bearer "+second, 200, `"scheme":"JWT"`)
		s.now = s.now.Add(10 * time.Second)
		refresh(first.Refresh.Reveal(), 401, framework.CodeInvalidToken)
		check("after a replay", "Bearer "+second, 401, "invalid_token")
		refresh("no token", 401, framework.CodeInvalidToken)
	})
}

func jwtAPI(t *testing.T, s *jwtService) http.Handler {
	t.Helper()
	refresh := func(c *framework.Call, in refreshInput) (pairView, error) {
		pair, err := s.jwt.Refresh(c, c.Session(), in.Refresh)
		return pairView{pair.Access.Reveal(), pair.Refresh.Reveal()}, err
	}
	api := framework.New(framework.Config{
		DB: s.db, Authentication: []framework.Authenticator{auth.Token{}, s.jwt},
		Codes: auth.JWTCodes(), Now: func() time.Time { return s.now },
	})
	api.Register(framework.ViewSet[auth.Group]{
		Name: "groups", Scope: framework.Public(),
		Collection: []framework.CollectionAction{
			framework.OnCollection("GET", "who", who),
			framework.OnCollection("POST", "refresh", refresh).Authenticate().Permit(framework.Anyone()).Untransacted(),
		},
	})
	handler, err := api.Handler()
	must(t, err)
	return handler
}
