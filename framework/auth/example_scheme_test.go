package auth_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// APIKeys is a scheme of a program: machines send a key in the header X-Api-Key and act
// for its owner. Only hashes of keys are stored. It never changes and is safe for
// concurrent use.
type APIKeys struct {
	Users  *auth.Users
	Owners map[[sha256.Size]byte]uuid.UUID // users by the SHA-256 of their keys
}

// Authenticate returns the user of the key.
func (k APIKeys) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	keys := r.Header.Values("X-Api-Key")
	if len(keys) == 0 {
		return nil, nil // the next scheme decides
	}
	// A lookup by hash reveals nothing about the key by its timing.
	owner, known := k.Owners[sha256.Sum256([]byte(keys[0]))]
	if !known || len(keys) > 1 {
		return nil, framework.InvalidCredentials("The header X-Api-Key holds no key of this service.")
	}
	caller, err := k.Users.Caller(c, c.Session(), owner, "ApiKey")
	if errors.Is(err, auth.ErrNotFound) {
		return nil, framework.InvalidCredentials("The header X-Api-Key holds no key of this service.")
	}
	return caller, err // any other error is 500 or 503, never anonymous
}

// Challenge is part of the header of a 401.
func (APIKeys) Challenge() string { return `ApiKey realm="api"` }

// A program adds a scheme of its own before the schemes of a Service.
func ExampleService_Authentication() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()
	identity, err := auth.New(auth.Config{Log: slog.New(slog.DiscardHandler)})
	check(err)
	robot, err := identity.Users.CreateUser(ctx, db.Session(), auth.NewUser{Email: "robot@example.com", Password: rand.Text()})
	check(err)
	check(identity.Users.Grant(ctx, db.Session(), robot.ID, "groups.view"))
	key := rand.Text() // shown once, and stored as a hash
	keys := APIKeys{identity.Users, map[[sha256.Size]byte]uuid.UUID{sha256.Sum256([]byte(key)): robot.ID}}

	api := framework.New(framework.Config{
		DB:             db,
		Authentication: identity.Authentication(keys),
		Codes:          identity.Codes(),
		Log:            slog.New(slog.DiscardHandler),
	})
	api.Register(groups, identity.ViewSet())
	handler, err := api.Handler()
	check(err)

	ask := func(method, path, key string) {
		r := httptest.NewRequestWithContext(ctx, method, path, http.NoBody)
		if key != "" {
			r.Header.Set("X-Api-Key", key)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Printf("%d %s.\n", w.Code, w.Header().Get("WWW-Authenticate"))
	}
	ask("GET", "/api/groups/who", key)
	ask("GET", "/api/groups/held", key) // with the permissions of the user
	ask("GET", "/api/groups/who", "guessed")
	ask("GET", "/api/groups/who", "")
	ask("POST", "/api/auth/logout", key) // there is nothing to revoke

	// Output:
	// 200 .
	// 200 .
	// 401 ApiKey realm="api", Session realm="api", Token realm="api", Bearer realm="api".
	// 401 ApiKey realm="api", Session realm="api", Token realm="api", Bearer realm="api".
	// 409 .
}

// TestAPIKeysAreAnAuthenticator checks the scheme against the contract of every
// authenticator.
func TestAPIKeysAreAnAuthenticator(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
		users, err := auth.NewUsers(auth.Options{})
		must(t, err)
		owners := map[[sha256.Size]byte]uuid.UUID{}
		issue := func(owner uuid.UUID) (key string, send func(*http.Request)) {
			key = rand.Text()
			owners[sha256.Sum256([]byte(key))] = owner
			return key, func(r *http.Request) { r.Header.Set("X-Api-Key", key) }
		}
		user, err := users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: "robot@example.com", Password: goodPassword})
		must(t, err)
		gone, err := users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: "gone@example.com", Password: goodPassword})
		must(t, err)
		must(t, users.SetActive(t.Context(), db.Session(), gone.ID, false))
		key, valid := issue(user.ID)
		old, inactive := issue(gone.ID)
		lost, deleted := issue(uuid.Must(uuid.NewV7()))
		frameworktest.TestAuthenticator(t, frameworktest.AuthenticatorCase{
			Authenticator: APIKeys{users, owners}, DB: db, Valid: valid, Caller: user.ID,
			Invalid: map[string]func(*http.Request){
				"of an inactive user": inactive,
				"of a deleted user":   deleted,
				"guessed":             func(r *http.Request) { r.Header.Set("X-Api-Key", "guessed") },
				"empty":               func(r *http.Request) { r.Header["X-Api-Key"] = []string{""} },
				"sent twice":          func(r *http.Request) { r.Header["X-Api-Key"] = []string{key, old} },
			},
			Secrets: []string{key, old, lost},
		})
	})
}
