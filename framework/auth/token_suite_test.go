package auth_test

import (
	"net/http"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestTokensAreAnAuthenticator checks the contract of framework.Authenticator for both
// schemes of opaque tokens.
func TestTokensAreAnAuthenticator(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
		users, err := auth.NewUsers(auth.Options{})
		must(t, err)
		user, err := users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: "asha@example.com", Password: "four unrelated words walk"})
		must(t, err)
		issue := func() (token string, header func(*http.Request)) {
			secret, _, err := users.IssueToken(t.Context(), db.Session(), user, "", 0)
			must(t, err)
			return secret.Reveal(), func(r *http.Request) { r.Header.Set("Authorization", "Token "+secret.Reveal()) }
		}
		token, valid := issue()
		revoked, invalid := issue()
		must(t, users.RevokeToken(t.Context(), db.Session(), revoked))
		for name, scheme := range map[string]framework.Authenticator{
			"that record nothing": auth.Token{},
			"that record":         auth.NewTokens(auth.TokenOptions{}),
		} {
			t.Run(name, func(t *testing.T) {
				frameworktest.TestAuthenticator(t, frameworktest.AuthenticatorCase{
					Authenticator: scheme, DB: db, Caller: user.ID, Secrets: []string{token, revoked},
					Valid: valid, Invalid: map[string]func(*http.Request){"revoked": invalid},
				})
			})
		}
	})
}
