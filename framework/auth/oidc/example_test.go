package oidc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
	"trestle.example/framework/sqldb"
)

// The sign-in by one provider, beside an API. The browser is sent to the provider first.
func Example() {
	provider := exampleProvider()
	defer provider.Close()
	folder, err := os.MkdirTemp("", "oidc")
	must(err)
	defer func() { _ = os.RemoveAll(folder) }()
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(folder, "clinic.db")), sqldb.Options{})
	must(err)
	defer func() { _ = db.Close() }()

	identity, err := auth.New(auth.Config{})
	must(err)
	signIn, err := oidc.New(identity, oidc.Options{Providers: []oidc.Provider{{
		Name:         "company",
		Issuer:       provider.URL, // https://id.example.org
		ClientID:     "clinic",
		ClientSecret: auth.NewSecret("the secret that the provider gave"),
		Register:     true,
		GroupsClaim:  "groups",
		Grants:       map[string]oidc.Grant{"doctors": {Permissions: []string{"patients.view"}}},
	}}})
	must(err)
	api := framework.New(framework.Config{
		DB: db, PublicURL: "https://clinic.example", Log: slog.New(slog.DiscardHandler),
		Authentication: identity.Authentication(),
		Codes:          append(identity.Codes(), oidc.Codes()...),
	})
	api.Register(identity.ViewSet())
	handler, err := signIn.Handler(api)
	must(err)
	mux := http.NewServeMux()
	mux.Handle("/api/auth/oidc/", handler) // beside mux.Handle("/api/", ...)

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/api/auth/oidc/company/?return_to=/orders", nil))
	to, err := url.Parse(w.Header().Get("Location"))
	must(err)
	fmt.Println(w.Code, to.Path)
	for _, name := range []string{"response_type", "scope", "redirect_uri", "code_challenge_method"} {
		fmt.Println(name, to.Query().Get(name))
	}
	// Output:
	// 302 /authorize
	// response_type code
	// scope openid profile email
	// redirect_uri https://clinic.example/api/auth/oidc/company/callback
	// code_challenge_method S256
}

// exampleProvider is the part of a provider that a begin needs.
func exampleProvider() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := "http://" + r.Host
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{
			"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token", "jwks_uri": at + "/keys",
		})
	}))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
