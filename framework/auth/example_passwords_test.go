package auth_test

import (
	"context"
	"fmt"

	"trestle.example/framework/auth"
)

// A program with a table of its own checks a password that Django hashed, and stores a new hash
// in Trestle's format.
func ExamplePasswords() {
	ctx := context.Background()
	passwords, err := auth.NewPasswords(auth.PasswordOptions{})
	check(err)

	stored := "pbkdf2_sha256$260000$seasalt12345$gNEqhwUkfy3JK78rxu2u3GY5vAR8j4kJDnqsYvd00r0="
	ok, outdated, err := passwords.Verify(ctx, stored, "four unrelated words walk")
	check(err)
	fmt.Println(ok, outdated)
	if ok && outdated {
		stored, err = passwords.Hash(ctx, "four unrelated words walk")
		check(err)
	}
	fmt.Println(stored[:30])
	fmt.Println(passwords.Check(ctx, "12345678", auth.PasswordOwner{Email: "asha@example.com"}))

	// Output:
	// true true
	// $argon2id$v=19$m=19456,t=2,p=1
	// The password is one of the most common ones; a few unrelated words make a better one.
}
