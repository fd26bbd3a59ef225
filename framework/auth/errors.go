package auth

import "errors"

// ErrNotFound is what is behind an error that says that a user, a group or a
// token does not exist.
var ErrNotFound = errors.New("not found")

// ErrWrongCredentials is the one answer of [Users.CheckPassword] to an unknown
// e-mail, an inactive user and a wrong password.
var ErrWrongCredentials = errors.New("the e-mail and the password do not belong to an active user")

// An InputError refuses one value of an account. It carries what an endpoint
// needs to make a fault of it.
type InputError struct {
	Field  string // "email", "password", "name", "permission", "expires_in"
	Code   string // stable, machine readable: "too_short", "unique", ...
	Detail string // one sentence for a person; never holds a password
}

// Error returns the sentence.
func (e *InputError) Error() string { return e.Detail }

func invalid(field, code, detail string) error {
	return &InputError{Field: field, Code: code, Detail: detail}
}
