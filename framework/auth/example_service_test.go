package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/throttle"
)

// An API with accounts, three schemes and the endpoints below /auth: a user registers,
// requests the account, and signs out.
func ExampleService() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()

	identity, err := auth.New(auth.Config{
		Passwords: auth.PasswordPolicy{Minimum: 12},
		Rates:     map[string]throttle.Rate{auth.ScopeRegister: {Limit: 5, Per: time.Hour}},
		Role:      func(u auth.User) string { return map[bool]string{true: "librarian", false: "reader"}[u.IsStaff] },
		Log:       slog.New(slog.DiscardHandler),
	})
	check(err)
	api := framework.New(framework.Config{
		DB:             db,
		Authentication: identity.Authentication(),
		Throttles:      identity.Throttles(),
		Codes:          identity.Codes(),
		Log:            slog.New(slog.DiscardHandler),
	})
	api.Register(identity.ViewSet())
	handler, err := api.Handler()
	check(err)
	// A server also runs: go identity.Run(ctx, db, report)

	server := httptest.NewServer(handler)
	defer server.Close()
	asha := visitor{at: server.URL}
	fmt.Println(asha.send("POST", "/api/auth/register", `{"email":"asha@example.com","password":"too short"}`))
	fmt.Println(asha.send("POST", "/api/auth/register", `{"email":"asha@example.com","password":"four unrelated words walk","name":"Asha"}`))
	fmt.Println(asha.send("GET", "/api/auth/me", ""))
	fmt.Println(asha.send("POST", "/api/auth/logout", ""))
	fmt.Println(asha.send("GET", "/api/auth/me", ""))
	fmt.Println(asha.send("POST", "/api/auth/login", `{"email":"asha@example.com","password":"something else"}`))

	// Output:
	// 400 validation_failed
	// 201 Bearer token for asha@example.com
	// 200 asha@example.com is Asha, a reader
	// 204
	// 401 invalid_token
	// 401 invalid_credentials
}

// visitor stores its token and sends it with each request.
type visitor struct{ at, token string }

func (v *visitor) send(method, path, body string) string {
	r, err := http.NewRequestWithContext(context.Background(), method, v.at+path, strings.NewReader(body))
	check(err)
	r.Header.Set("Content-Type", "application/json")
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	check(err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	check(err)
	return strings.TrimSpace(fmt.Sprint(response.StatusCode, " ", v.read(content)))
}

// read returns a short form of the body.
func (v *visitor) read(body []byte) string {
	type user struct{ Email, Name, Role string }
	var said struct {
		user
		Code, Token, TokenType string
		User                   user
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return ""
	}
	check(json.Unmarshal(body, &said))
	switch {
	case said.Code != "":
		return said.Code
	case said.Token != "":
		v.token = said.Token
		return said.TokenType + " token for " + said.User.Email
	}
	return fmt.Sprintf("%s is %s, a %s", said.Email, said.Name, said.Role)
}
