package auth_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
)

// A user gets a permission through a group, and a token to use it.
func Example() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()

	users, err := auth.NewUsers(auth.Options{})
	check(err)
	user, err := users.CreateUser(ctx, db.Session(), auth.NewUser{
		Email: "Asha@Example.com", Name: "Asha Rao", Password: "four unrelated words walk",
	})
	check(err)
	reception, err := users.CreateGroup(ctx, db.Session(), "reception", "patients.view", "patients.add")
	check(err)
	check(users.Join(ctx, db.Session(), user.ID, reception.ID))

	token, record, err := users.IssueToken(ctx, db.Session(), user, "laptop", time.Hour)
	check(err)
	fmt.Println(user.Email, record.Name, record.ExpiresAt.Sub(record.CreatedAt))
	fmt.Println("in a log:", token)
	fmt.Println("for its owner:", len(token.Reveal()), "characters that begin with", token.Reveal()[:4])

	// Output:
	// asha@example.com laptop 1h0m0s
	// in a log: [secret]
	// for its owner: 47 characters that begin with trs_
}

// The error is the same for a wrong e-mail and a wrong password.
func ExampleUsers_CheckPassword() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()

	users, err := auth.NewUsers(auth.Options{Passwords: auth.PasswordPolicy{Minimum: 12}})
	check(err)
	_, err = users.CreateUser(ctx, db.Session(), auth.NewUser{Email: "asha@example.com", Password: "too short"})
	fmt.Println(err)
	_, err = users.CreateUser(ctx, db.Session(), auth.NewUser{Email: "asha@example.com", Password: "four unrelated words walk"})
	check(err)

	user, err := users.CheckPassword(ctx, db.Session(), "ASHA@example.com", "four unrelated words walk")
	fmt.Println(user.Email, err)
	_, err = users.CheckPassword(ctx, db.Session(), "asha@example.com", "something else")
	fmt.Println(errors.Is(err, auth.ErrWrongCredentials))
	_, err = users.CheckPassword(ctx, db.Session(), "nobody@example.com", "something else")
	fmt.Println(errors.Is(err, auth.ErrWrongCredentials))

	// Output:
	// The password needs at least 12 characters; it has 9.
	// asha@example.com <nil>
	// true
	// true
}

// openExample opens an empty database in a folder that done removes.
func openExample(ctx context.Context) (db *sqldb.DB, done func()) {
	folder, err := os.MkdirTemp("", "auth")
	check(err)
	db, err = sqldb.Open("sqlite://"+filepath.Join(folder, "example.db"), sqldb.Options{})
	check(err)
	check(db.Migrate(ctx, nil, auth.Migrations()))
	return db, func() {
		_ = db.Close()
		_ = os.RemoveAll(folder)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
