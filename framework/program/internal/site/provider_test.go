package site

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
)

// discoverable starts a server that answers as the discovery of an identity provider.
func discoverable(t *testing.T) (issuer string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	issuer = "http://" + server.Listener.Addr().String()
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys",
		})
	})
	server.Start()
	t.Cleanup(server.Close)
	return issuer
}

// openSite opens a site with an API below a prefix, and settings.
func openSite(t *testing.T, prefix string, env map[string]string) *Site {
	t.Helper()
	p := Project{
		Name: "shop", NewIdentity: auth.New,
		Common: func(s *Site) framework.Config {
			return framework.Config{DB: s.DB, Prefix: prefix, Authentication: s.Identity.Authentication(), Codes: s.Identity.Codes()}
		},
		Register: func(api *framework.API, s *Site) { api.Register(s.Identity.ViewSet()) },
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	p.Table().AddFlags(flags, true)
	env["DATABASE_URL"] = "sqlite:///" + strings.TrimPrefix(t.TempDir(), "/") + "/shop.db"
	c, err := p.Table().Read(flags, env)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	s, err := p.Open(c, c.IdentityConfig(log), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestTheSignInOfTheSettings: with settings alone, a browser is sent to the provider, by the path
// below the prefix of the API, and the errors of a sign-in are explained.
func TestTheSignInOfTheSettings(t *testing.T) {
	issuer := discoverable(t)
	for prefix, path := range map[string]string{"": "/api/auth/oidc/", "/shop/v1": "/shop/v1/auth/oidc/", "/": "/auth/oidc/"} {
		s := openSite(t, prefix, map[string]string{
			"SHOP_OIDC_ISSUER": issuer, "SHOP_OIDC_CLIENT_ID": "clinic", "SHOP_OIDC_SCOPES": "email,groups", "SHOP_OIDC_REGISTER": "on",
		})
		api := s.API()
		beside, err := s.CollectBeside(api)
		if err != nil {
			t.Fatal(err)
		}
		if len(beside.Handlers) != 1 || beside.Handlers[path] == nil || len(beside.Checks) != 1 || !beside.Checks[0].Degrades {
			t.Fatalf("below %q the handlers are %v, the checks %+v", prefix, beside.Handlers, beside.Checks)
		}
		w := httptest.NewRecorder()
		beside.Handlers[path].ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+config.ProviderName+"/", nil))
		to, err := url.Parse(w.Header().Get("Location"))
		if err != nil || w.Code != http.StatusFound || !strings.HasPrefix(to.String(), issuer+"/authorize?") {
			t.Fatalf("below %q the answer is %d to %v: %s", prefix, w.Code, to, w.Body)
		}
		query := to.Query()
		if query.Get("client_id") != "clinic" || query.Get("scope") != "openid email groups" || !strings.HasSuffix(query.Get("redirect_uri"), path+"sso/callback") {
			t.Errorf("below %q the provider is asked for %v", prefix, query)
		}
		w = httptest.NewRecorder()
		beside.Handlers[path].ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"other/", nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("below %q another provider is answered %d", prefix, w.Code)
		}
		if codes := s.addProviderCodes(nil); len(codes) == 0 || len(s.addProviderCodes(codes)) != len(codes) {
			t.Errorf("the codes are %v", codes)
		}
	}
}

// TestNoSignInWithoutSettings: nothing is served beside the API, and no code is added.
func TestNoSignInWithoutSettings(t *testing.T) {
	s := openSite(t, "", map[string]string{})
	beside, err := s.CollectBeside(s.API())
	if err != nil || beside.Handlers != nil || beside.Checks != nil || s.addProviderCodes(nil) != nil {
		t.Errorf("beside is %+v, error %v; the codes are %v", beside, err, s.addProviderCodes(nil))
	}
}
