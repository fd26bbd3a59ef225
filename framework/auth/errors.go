package auth

import (
	"errors"

	"trestle.example/framework"
	"trestle.example/framework/auth/internal/hashers"
)

// ErrNotFound is wrapped by errors that state that a user, a group, a token or a session does
// not exist.
var ErrNotFound = errors.New("not found")

// ErrWrongCredentials is wrapped by the error of [Users.CheckPassword] for an unknown e-mail,
// an inactive user and a wrong password. [Users.IssueToken], [Sessions.Begin] and [JWT.Issue]
// return it if the account changed, is inactive or was deleted.
var ErrWrongCredentials = errors.New("the e-mail and the password do not belong to an active user")

// ErrHash is wrapped by the error of [Passwords.Verify] for a stored hash that has an unknown
// format, or whose cost is out of bounds.
var ErrHash = hashers.ErrHash

// An InputError states why one value of an account is not valid. [ClientError] turns it
// into an error for a client.
type InputError struct {
	Field  string // "email", "username", "password", "name", "permission", "expires_in"
	Code   string // stable, machine readable: "too_short", "unique", ...
	Detail string // one sentence for a person; never holds a password
}

// Error returns the sentence.
func (e *InputError) Error() string { return e.Detail }

// ClientError turns the [InputError]s among errs into one error for a client. Use it in a
// function of your own that creates or changes accounts:
//
//	user, err := identity.Users.CreateUser(c, c.Session(), auth.NewUser{Email: in.Email, Password: in.Password})
//	if err != nil {
//		return view{}, auth.ClientError(err)
//	}
//
// The result is 400 validation_failed with one fault for each of errs, except errors that
// a value is already used. The pointer of a fault is "/" and the Field of the error. If
// there are only errors that a value is already used, the last of them decides: the result
// is 409 [CodeEmailTaken] for an e-mail, 409 not_unique for a user name or the name
// of a group. If errs
// contains an error of another kind, ClientError returns the first such error unchanged.
// Without errors the result is nil. ClientError is safe for concurrent use.
func ClientError(errs ...error) error {
	var taken error
	var faults []framework.Fault
	for _, err := range errs {
		wrong, ok := errors.AsType[*InputError](err)
		switch {
		case err == nil:
		case !ok:
			return err
		case wrong.Code == "unique":
			taken = wrong.conflict()
		default:
			faults = append(faults, framework.Fault{Pointer: "/" + wrong.Field, Code: wrong.Code, Detail: wrong.Detail})
		}
	}
	if len(faults) > 0 {
		return framework.Invalid(faults...)
	}
	return taken
}

// conflict returns the 409 for a value that is already used. It does not repeat the
// value.
func (e *InputError) conflict() error {
	if e.Field == "email" {
		return framework.Conflict(CodeEmailTaken, "A user with this e-mail exists already.")
	}
	conflict := framework.Conflict(framework.CodeUnique, "Another record already has this value, which must be unique.")
	conflict.Faults = []framework.Fault{{Pointer: "/" + e.Field, Code: framework.CodeUnique, Detail: "must be unique"}}
	return conflict
}

func invalid(field, code, detail string) error {
	return &InputError{Field: field, Code: code, Detail: detail}
}
