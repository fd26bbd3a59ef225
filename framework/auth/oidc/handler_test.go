package oidc_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// A desk serves the paths of one provider, whose discovery document a test sets.
type desk struct {
	http.Handler

	signIn   *oidc.SignIn
	issuer   string
	document atomic.Pointer[map[string]any] // nil if the provider is away
	requests atomic.Int64                   // that the provider got
	now      time.Time
}

// openDesk serves an API at a prefix of its own behind a public URL with a path.
func openDesk(t *testing.T, db *sqldb.DB, change func(*oidc.Options)) *desk {
	t.Helper()
	d := &desk{now: time.Now()}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.requests.Add(1)
		document := d.document.Load()
		if document == nil {
			http.Error(w, "closed", http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document)
	}))
	t.Cleanup(provider.Close)
	d.issuer = provider.URL
	o := options()
	o.Providers[0].Issuer, o.Log = d.issuer, slog.New(slog.DiscardHandler)
	o.Now = func() time.Time { return d.now }
	if change != nil {
		change(&o)
	}
	identity := service(t)
	var err error
	if d.signIn, err = oidc.New(identity, o); err != nil {
		t.Fatal(err)
	}
	api := framework.New(framework.Config{
		DB: db, Prefix: "/shop/v1", PublicURL: "https://example.org/base", Authentication: identity.Authentication(),
		Codes: append(identity.Codes(), oidc.Codes()...), Log: o.Log,
	})
	if d.Handler, err = d.signIn.Handler(api); err != nil {
		t.Fatal(err)
	}
	return d
}

// opens makes the provider answer.
func (d *desk) opens() {
	d.document.Store(&map[string]any{
		"issuer": d.issuer, "authorization_endpoint": d.issuer + "/authorize", "token_endpoint": d.issuer + "/token", "jwks_uri": d.issuer + "/keys",
	})
}

func (d *desk) send(method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), method, path, nil))
	return w
}

// TestRequests: what each request to the paths of the package gets.
func TestRequests(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openDesk(t, db, nil)
		d.opens()
		for _, test := range []struct {
			name, method, path string
			status             int
			code               string
		}{
			{"begin", "GET", "/shop/v1/auth/oidc/company/", 302, ""},
			{"begin, with a path to return to", "GET", "/shop/v1/auth/oidc/company/?return_to=/orders", 302, ""},
			{"begin, to return to another site", "GET", "/shop/v1/auth/oidc/company/?return_to=//evil.example", 400, "invalid_parameter"},
			{"begin, to return to two paths", "GET", "/shop/v1/auth/oidc/company/?return_to=/a&return_to=/b", 400, "invalid_parameter"},
			{"begin by POST", "POST", "/shop/v1/auth/oidc/company/", 405, "method_not_allowed"},
			{"begin by HEAD", "HEAD", "/shop/v1/auth/oidc/company/", 405, "method_not_allowed"},
			{"another provider", "GET", "/shop/v1/auth/oidc/home/", 404, "not_found"},
			{"no provider", "GET", "/shop/v1/auth/oidc/", 404, "not_found"},
			{"without the slash", "GET", "/shop/v1/auth/oidc/company", 404, "not_found"},
			{"another action", "GET", "/shop/v1/auth/oidc/company/logout", 404, "not_found"},
			{"below the callback", "GET", "/shop/v1/auth/oidc/company/callback/x", 404, "not_found"},
			{"a callback without a begin", "GET", "/shop/v1/auth/oidc/company/callback?code=x&state=y", 400, oidc.CodeState},
			{"a callback without anything", "GET", "/shop/v1/auth/oidc/company/callback", 400, oidc.CodeState},
			{"a callback by POST", "POST", "/shop/v1/auth/oidc/company/callback?code=x&state=y", 405, "method_not_allowed"},
		} {
			w := d.send(test.method, test.path)
			var problem struct{ Code string }
			_ = json.Unmarshal(w.Body.Bytes(), &problem)
			if w.Code != test.status || problem.Code != test.code {
				t.Errorf("%s: %d %s; want %d %q", test.name, w.Code, w.Body, test.status, test.code)
			}
			if strings.Contains(w.Body.String(), "evil") {
				t.Errorf("%s: the answer repeats the parameter: %s", test.name, w.Body)
			}
			if (w.Code == http.StatusFound) != (w.Header().Get("Set-Cookie") != "") {
				t.Errorf("%s: the cookies are %q", test.name, w.Header().Values("Set-Cookie"))
			}
		}
	})
}

// TestTheRedirectURI is made of the public URL and the prefix, whatever the request says.
func TestTheRedirectURI(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openDesk(t, db, nil)
		d.opens()
		to, err := url.Parse(d.send("GET", "/shop/v1/auth/oidc/company/?redirect_uri=https://evil.example").Header().Get("Location"))
		if err != nil || to.Query().Get("redirect_uri") != "https://example.org/base/shop/v1/auth/oidc/company/callback" {
			t.Errorf("the browser is sent to %s, %v", to, err)
		}
	})
}

// TestDiscovery: a provider that is away is tried again after 5 s, and one that answers is not
// requested again.
func TestDiscovery(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openDesk(t, db, nil)
		begins := func(status int, requests int64) {
			t.Helper()
			if w := d.send("GET", "/shop/v1/auth/oidc/company/"); w.Code != status || d.requests.Load() != requests {
				t.Errorf("%d %s after %d requests to the provider; want %d after %d", w.Code, w.Body, d.requests.Load(), status, requests)
			}
		}
		begins(503, 1)
		begins(503, 1)
		if err := d.signIn.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), `the provider "company"`) {
			t.Errorf("ready: %v", err)
		}
		d.now = d.now.Add(6 * time.Second)
		d.document.Store(&map[string]any{"issuer": d.issuer + "/"})
		begins(503, 2) // the issuer differs by a slash
		d.now = d.now.Add(6 * time.Second)
		d.document.Store(&map[string]any{"issuer": d.issuer})
		begins(503, 3) // the document has no endpoints
		d.opens()
		d.now = d.now.Add(6 * time.Second)
		begins(302, 4)
		begins(302, 4)
		if err := d.signIn.Ready(t.Context()); err != nil {
			t.Errorf("ready: %v", err)
		}
		stopped, stop := context.WithCancelCause(t.Context())
		stop(errors.New("the client left"))
		if err := d.signIn.Ready(stopped); err != nil {
			t.Errorf("a provider that is known needs no request: %v", err)
		}
	})
}

// TestEndpointsWithoutTLS: a provider with TLS that names an address without TLS is not used.
func TestEndpointsWithoutTLS(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		var document map[string]string
		provider := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(document)
		}))
		defer provider.Close()
		d := openDesk(t, db, func(o *oidc.Options) { o.Providers[0].Issuer, o.HTTP = provider.URL, provider.Client() })
		for _, name := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", ""} {
			document = map[string]string{"issuer": provider.URL}
			for _, one := range []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"} {
				document[one] = provider.URL + "/" + one
			}
			status := http.StatusFound
			if name != "" {
				document[name], status = "http://id.example.org/"+name, http.StatusServiceUnavailable
			}
			if w := d.send("GET", "/shop/v1/auth/oidc/company/"); w.Code != status {
				t.Errorf("%q: %d %s; want %d", name, w.Code, w.Body, status)
			}
			d.now = d.now.Add(6 * time.Second)
		}
	})
}

// TestManyBeginAtOnce: the provider is discovered once.
func TestManyBeginAtOnce(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openDesk(t, db, nil)
		d.opens()
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				if w := d.send("GET", "/shop/v1/auth/oidc/company/"); w.Code != http.StatusFound {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		all.Wait()
		if n := d.requests.Load(); n != 1 {
			t.Errorf("the provider got %d requests; want 1", n)
		}
	})
}

// TestTheRate: one address may send so many requests.
func TestTheRate(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openDesk(t, db, func(o *oidc.Options) { o.Rate = throttle.Rate{Limit: 2, Per: time.Hour} })
		d.opens()
		for i, status := range []int{302, 400, 429} {
			path := "/shop/v1/auth/oidc/company/"
			if i == 1 {
				path += "callback"
			}
			if w := d.send("GET", path); w.Code != status {
				t.Errorf("request %d: %d %s; want %d", i, w.Code, w.Body, status)
			}
		}
	})
}

// TestTheFailurePage gets the code of an error and nothing else.
func TestTheFailurePage(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openDesk(t, db, func(o *oidc.Options) { o.FailurePage = "/sign-in?lang=en" })
		for path, want := range map[string]string{
			"callback?code=x&state=y&error_description=evil": "/sign-in?code=oidc_state_invalid&lang=en",
			"":                          "/sign-in?code=oidc_unavailable&lang=en",
			"?return_to=//evil.example": "/sign-in?code=invalid_parameter&lang=en",
		} {
			if w := d.send("GET", "/shop/v1/auth/oidc/company/"+path); w.Code != 302 || w.Header().Get("Location") != want {
				t.Errorf("%q: %d %s; want %s", path, w.Code, w.Header().Get("Location"), want)
			}
		}
		if w := d.send("GET", "/shop/v1/auth/oidc/home/"); w.Code != 404 {
			t.Errorf("another provider: %d", w.Code)
		}
	})
}

// TestCodesAreExplained: each code of the package has a page.
func TestCodesAreExplained(t *testing.T) {
	for _, info := range oidc.Codes() {
		if info.Code == "" || info.Status < 400 || info.Title == "" || info.Text == "" || info.Code == auth.CodeEmailTaken {
			t.Errorf("%+v", info)
		}
	}
}
