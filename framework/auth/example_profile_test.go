package auth_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// A Reader is what a library knows about a user.
type Reader struct {
	bun.BaseModel `bun:"table:readers"`

	UserID uuid.UUID `bun:",pk"`
	Card   string
}

// ReaderInput is what a client writes, and ReaderView is what it sees.
type ReaderInput struct {
	Card string `json:"card" validate:"required,max=20"`
}

// ReaderView is what a client sees.
type ReaderView struct {
	Card string `json:"card"`
}

// readers store the own columns in a table of the library.
var readers = auth.Profile[ReaderInput, ReaderInput, ReaderView]{
	Create: func(c *framework.Call, user auth.User, in ReaderInput) error {
		_, err := c.DB.NewInsert().Model(&Reader{UserID: user.ID, Card: in.Card}).Exec(c)
		return err
	},
	Change: func(c *framework.Call, user auth.User, in ReaderInput) error {
		_, err := c.DB.NewUpdate().Model((*Reader)(nil)).Set("card = ?", in.Card).Where("user_id = ?", user.ID).Exec(c)
		return err
	},
	Show: func(c *framework.Call, user auth.User) (ReaderView, error) {
		var reader Reader
		err := c.DB.NewSelect().Model(&reader).Where("user_id = ?", user.ID).Scan(c)
		return ReaderView{Card: reader.Card}, err
	},
}

// A library whose users have the number of a card: a registration needs it, and the account shows
// it.
func ExampleProfile() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()
	_, err := db.ExecContext(ctx, "CREATE TABLE readers (user_id text PRIMARY KEY REFERENCES auth_users (id) ON DELETE CASCADE, card text NOT NULL)")
	check(err)

	identity, err := auth.New(auth.Config{Profile: readers, Account: auth.AccountOptions{Change: true}, Log: slog.New(slog.DiscardHandler)})
	check(err)
	api := framework.New(framework.Config{DB: db, Authentication: identity.Authentication(), Codes: identity.Codes(), Log: slog.New(slog.DiscardHandler)})
	api.Register(identity.ViewSet())
	handler, err := api.Handler()
	check(err)
	server := httptest.NewServer(handler)
	defer server.Close()

	asha := visitor{at: server.URL}
	fmt.Println(asha.send("POST", "/api/auth/register", `{"email":"asha@example.com","password":"four unrelated words walk"}`))
	fmt.Println(asha.send("POST", "/api/auth/register", `{"email":"asha@example.com","password":"four unrelated words walk","profile":{"card":"A-17"}}`))
	fmt.Println(asha.profile("GET", ""))
	fmt.Println(asha.profile("PATCH", `{"profile":{"card":"B-4"}}`))

	// Output:
	// 400 validation_failed
	// 201 Bearer token for asha@example.com
	// {"card":"A-17"}
	// {"card":"B-4"}
}

// profile requests the account and returns the part of the answer with the profile.
func (v *visitor) profile(method, body string) string {
	r, err := http.NewRequestWithContext(context.Background(), method, v.at+"/api/auth/me", strings.NewReader(body))
	check(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+v.token)
	response, err := http.DefaultTransport.RoundTrip(r)
	check(err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	check(err)
	_, text, _ := strings.Cut(strings.TrimSpace(string(content)), `"profile":`)
	return strings.TrimSuffix(text, "}")
}
