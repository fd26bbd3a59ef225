package providertest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
	"trestle.example/internal/journal"
)

// A clinic is a program that signs people in by one provider, "company".
type clinic struct {
	*testing.T

	db       *sqldb.DB
	identity *auth.Service // it requires TLS
	signIn   *oidc.SignIn
	handler  http.Handler
	provider *provider
	log      *journal.Journal
}

// onBoth runs a test on both databases, each with a clinic and a provider of its own. declare
// changes the declaration of the provider; it may be nil.
func onBoth(t *testing.T, declare func(*oidc.Provider), test func(*clinic)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
		test(openClinic(t, db, startProvider(t), declare))
	})
}

func openClinic(t *testing.T, db *sqldb.DB, p *provider, declare func(*oidc.Provider)) *clinic {
	t.Helper()
	c := &clinic{T: t, db: db, provider: p, log: &journal.Journal{}}
	log := slog.New(slog.NewJSONHandler(c.log, nil))
	var err error
	c.identity, err = auth.New(auth.Config{Log: log, RequireTLS: true})
	must(t, err)
	work := oidc.Provider{
		Name: "company", Issuer: p.issuer(), ClientID: clientID, ClientSecret: auth.NewSecret(clientSecret), Register: true,
	}
	if declare != nil {
		declare(&work)
	}
	c.signIn, err = oidc.New(c.identity, oidc.Options{Providers: []oidc.Provider{work}, Log: log, Rate: throttle.Rate{Limit: 100_000}})
	must(t, err)
	api := framework.New(framework.Config{
		DB: db, PublicURL: publicURL, Authentication: c.identity.Authentication(), Codes: append(c.identity.Codes(), oidc.Codes()...), Log: log,
	})
	api.Register(c.identity.ViewSet())
	mux := http.NewServeMux()
	own, err := api.Handler()
	must(t, err)
	beside, err := c.signIn.Handler(api)
	must(t, err)
	mux.Handle("/api/", own)
	mux.Handle("/api/auth/oidc/", beside)
	c.handler = mux
	return c
}

// on returns the clinic for a subtest.
func (c *clinic) on(t *testing.T) *clinic {
	other := *c
	other.T = t
	return &other
}

// counts returns the number of rows of each table that a sign-in may change.
func (c *clinic) counts() (counts [5]int64) {
	c.Helper()
	for i, table := range []string{"auth_users", "auth_identities", "auth_sessions", "auth_user_groups", "auth_user_permissions"} {
		n, err := c.db.NewSelect().Table(table).Count(c.Context())
		must(c.T, err)
		counts[i] = n
	}
	return counts
}

// user makes an account with a password.
func (c *clinic) user(email string, change func(*auth.NewUser)) auth.User {
	c.Helper()
	n := auth.NewUser{Email: email, Name: "Asha", Password: "four unrelated words walk"}
	if change != nil {
		change(&n)
	}
	user, err := c.identity.Users.CreateUser(c.Context(), c.db.Session(), n)
	must(c.T, err)
	return user
}

// A browser stores the cookies of the clinic.
type browser struct {
	*clinic

	cookies   map[string]string
	cleartext bool // its requests come without TLS
}

func (c *clinic) browser() *browser { return &browser{clinic: c, cookies: map[string]string{}} }

// get opens a path or an address of the clinic.
func (b *browser) get(address string) *httptest.ResponseRecorder {
	b.Helper()
	return b.do(http.MethodGet, address, "")
}

func (b *browser) do(method, address, csrf string) *httptest.ResponseRecorder {
	b.Helper()
	r := httptest.NewRequestWithContext(context.Background(), method, strings.TrimPrefix(address, publicURL), nil)
	r.Host = "clinic.example"
	if !b.cleartext {
		r.TLS = &tls.ConnectionState{}
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	if csrf != "" {
		r.Header.Set("X-CSRFToken", csrf)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	for _, cookie := range w.Result().Cookies() {
		if cookie.SameSite != http.SameSiteLaxMode || !cookie.Secure || cookie.HttpOnly != (cookie.Name != "csrftoken") {
			b.Errorf("the cookie %s is not as it must be", cookie.Name)
		}
		if cookie.MaxAge < 0 {
			delete(b.cookies, cookie.Name)
		} else {
			b.cookies[cookie.Name] = cookie.Value
		}
	}
	return w
}

// begin opens the first address and returns where the browser is sent: to the provider.
func (b *browser) begin(returnTo string) *url.URL {
	b.Helper()
	w := b.get("/api/auth/oidc/company/?return_to=" + url.QueryEscape(returnTo))
	to, err := url.Parse(w.Header().Get("Location"))
	if w.Code != http.StatusFound || err != nil || !strings.HasPrefix(to.String(), b.provider.issuer()+"/") {
		b.Fatalf("begin: %d %s %s", w.Code, to, w.Body)
	}
	return to
}

// reach signs in at the provider, and returns the address to which it sends the browser.
func (b *browser) reach(person string) *url.URL {
	b.Helper()
	return b.provider.signIn(b.begin("/").String(), person)
}

// signsIn goes through a whole sign-in, which succeeds, and returns the user.
func (b *browser) signsIn(person string) auth.User {
	b.Helper()
	b.rejected(b.get(b.reach(person).String()), "")
	return b.me()
}

// me returns the user who is signed in.
func (b *browser) me() auth.User {
	b.Helper()
	w := b.get("/api/auth/me")
	var view struct{ Email, Name string }
	if w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &view) != nil {
		b.Fatalf("the browser is not signed in: %d %s", w.Code, w.Body)
	}
	user, err := b.identity.Users.FindUser(b.Context(), b.db.Session(), view.Email)
	must(b.T, err)
	return user
}

// rejected checks the code of an answer. The empty code stands for success.
func (b *browser) rejected(w *httptest.ResponseRecorder, code string) {
	b.Helper()
	var problem struct{ Code, Detail string }
	_ = json.Unmarshal(w.Body.Bytes(), &problem)
	if problem.Code != code || (code == "") != (w.Code == http.StatusFound) {
		b.Errorf("%d %s %s; want the code %q\n%s", w.Code, w.Header().Get("Location"), w.Body, code, b.tail())
	}
}

// tail returns the last lines of the log.
func (c *clinic) tail() string {
	lines := strings.SplitAfter(c.log.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-4):], "")
}
