// Package oidc signs people in by identity providers, with OpenID Connect Core 1.0: the
// authorization code flow with PKCE (RFC 7636), a state and a nonce.
//
//	signIn, err := oidc.New(identity, oidc.Options{Providers: []oidc.Provider{{
//		Name:         "company",
//		Issuer:       "https://id.example.org",
//		ClientID:     "clinic",
//		ClientSecret: auth.NewSecret(os.Getenv("CLINIC_OIDC_SECRET")),
//		Register:     true,
//	}}})
//	handler, err := signIn.Handler(api)
//	mux.Handle("/api/auth/oidc/", handler)
//
// Two paths below the prefix of the API belong to each provider:
//
//	GET /auth/oidc/{provider}/?return_to=/path    // begins: 302 to the provider
//	GET /auth/oidc/{provider}/callback            // ends: 302 to return_to, signed in
//
// The second is the redirect URI to register at the provider. The result is a session of package
// auth, with its cookie and its CSRF rules.
package oidc
