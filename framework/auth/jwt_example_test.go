package auth_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// A login begins with a pair. Its refresh token is valid once. If it is used again after
// the grace, the login ends.
func ExampleJWT() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()
	pool := db.Session()
	users, err := auth.NewUsers(auth.Options{})
	check(err)
	user, err := users.CreateUser(ctx, pool, auth.NewUser{Email: "asha@example.com", Password: "four unrelated words walk"})
	check(err)

	setting, err := auth.GenerateKey("2026-11", auth.EdDSA) // once, and stored with the settings
	check(err)
	keys, err := auth.ParseKeys(setting.Reveal())
	check(err)
	now := time.Now()
	tokens, err := auth.NewJWT(auth.JWTOptions{
		Keys: keys, Issuer: "clinic", Now: func() time.Time { return now },
	})
	check(err)
	fmt.Println("keys:", keys)

	first, err := tokens.Issue(ctx, pool, user)
	check(err)
	fmt.Println("in a log:", first.Access, first.Refresh)
	second, err := tokens.Refresh(ctx, pool, first.Refresh.Reveal())
	check(err)
	fmt.Println("the same login:", first.Family == second.Family)

	refused := func(refresh auth.Secret) {
		_, err := tokens.Refresh(ctx, pool, refresh.Reveal())
		var refusal *framework.Error
		errors.As(err, &refusal)
		fmt.Println(refusal.Status, refusal.Code, errors.Is(err, auth.ErrRefreshReused))
	}
	refused(first.Refresh)
	now = now.Add(time.Minute)
	refused(first.Refresh)
	refused(second.Refresh)

	// Output:
	// keys: 2026-11 (EdDSA)
	// in a log: [secret] [secret]
	// the same login: true
	// 401 refresh_superseded false
	// 401 invalid_token true
	// 401 invalid_token false
}

// The scheme works beside the scheme of opaque tokens: each accepts its own kind of
// Bearer credential. A refresh is an action outside of a transaction, so that the end of
// a login is stored although the answer is an error.
func ExampleJWT_api() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()
	setting, err := auth.GenerateKey("2026-11", auth.EdDSA)
	check(err)
	keys, err := auth.ParseKeys(setting.Reveal())
	check(err)
	tokens, err := auth.NewJWT(auth.JWTOptions{Keys: keys, Issuer: "clinic"})
	check(err)

	type input struct {
		Refresh string `json:"refresh"`
	}
	type output struct {
		Access  string `json:"access"`
		Refresh string `json:"refresh"`
	}
	refresh := func(c *framework.Call, in input) (output, error) {
		pair, err := tokens.Refresh(c, c.Session(), in.Refresh)
		return output{pair.Access.Reveal(), pair.Refresh.Reveal()}, err
	}
	api := framework.New(framework.Config{
		DB:             db,
		Authentication: []framework.Authenticator{auth.Token{}, tokens},
		Codes:          auth.JWTCodes(),
	})
	api.Register(framework.ViewSet[auth.Group]{
		Name: "groups", Scope: framework.Public(),
		Collection: []framework.CollectionAction{
			framework.OnCollection("POST", "refresh", refresh).
				Authenticate().Permit(framework.Anyone()).Untransacted(),
		},
	})
	_, err = api.Handler()
	fmt.Println(err)

	// Output: <nil>
}
