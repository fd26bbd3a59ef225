package auth_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/mail"
)

// inbox is the mail server of the example: it passes on what arrives.
type inbox chan mail.Message

func (i inbox) Send(_ context.Context, m mail.Message) error {
	i <- m
	return nil
}

// A user who forgot the password requests a mail, and sets a new password with its token.
func ExampleAccountOptions() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()

	mails := make(inbox, 2)
	identity, err := auth.New(auth.Config{
		Account: auth.AccountOptions{Reset: true, ResetURL: "https://library.example.org/reset#{token}", Service: "Library"},
		Mailer:  mails, // smtp.Open makes one for a mail server
		Log:     slog.New(slog.DiscardHandler),
	})
	check(err)
	_, err = identity.Users.CreateUser(ctx, db.Session(), auth.NewUser{Email: "asha@example.com", Password: "four unrelated words walk"})
	check(err)
	api := framework.New(framework.Config{DB: db, Authentication: identity.Authentication(), Codes: identity.Codes(), Log: slog.New(slog.DiscardHandler)})
	api.Register(identity.ViewSet())
	handler, err := api.Handler()
	check(err)
	server := httptest.NewServer(handler)
	defer server.Close()

	asha := visitor{at: server.URL}
	fmt.Println(asha.send("POST", "/api/auth/password/reset", `{"email":"asha@example.com"}`))
	m := <-mails
	fmt.Println(m.Subject)
	_, rest, _ := strings.Cut(m.Text, "https://library.example.org/reset#")
	token, _, _ := strings.Cut(rest, "\n")
	fmt.Println(asha.send("POST", "/api/auth/password/reset/confirm", `{"token":"`+token+`","password":"seven other words of mine"}`))
	fmt.Println((<-mails).Subject)
	fmt.Println(asha.send("POST", "/api/auth/login", `{"email":"asha@example.com","password":"seven other words of mine"}`))

	// A program that stops waits for its mails: Service.Run does that.
	ending, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	stopped, stop := context.WithCancel(ending)
	stop()
	identity.Run(stopped, db, func(err error) { fmt.Println(err) })

	// Output:
	// 202
	// Library: reset your password
	// 204
	// Library: your password was changed
	// 200 Bearer token for asha@example.com
}
