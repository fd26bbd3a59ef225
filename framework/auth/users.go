package auth

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// Options are the settings of [NewUsers].
type Options struct {
	// Passwords is the policy for new passwords. Defaults to at least 8 characters, and
	// no password of a built-in list of common passwords.
	Passwords PasswordPolicy
	// PasswordQueue is how many passwords may wait to be hashed. If the queue is full, the
	// newest password of the client with the most waiting passwords is answered 503.
	// Defaults to 128; in a longer queue clients would time out before their turn.
	PasswordQueue int
	// Hashes states how password hashes are read and written. Defaults to [Argon2id].
	Hashes HashOptions
	// Usernames makes CheckPassword accept a user name in place of an e-mail address. Defaults
	// to false.
	Usernames bool
	// Now returns the time, for tests. Defaults to time.Now.
	Now func() time.Time
}

// Users stores accounts: users, their groups and permissions, and their tokens.
//
// Every method runs in the session that it gets. On the pool (DB.Session) a method that
// changes several tables opens a transaction; in a transaction it joins that one. Make
// one Users for the process, because it bounds how many passwords are hashed at once
// (two, 19 MiB each for [Argon2id]). It is safe for concurrent use.
type Users struct {
	passwords *Passwords
	usernames bool
	clock     func() time.Time
}

// NewUsers returns the accounts with the options o, or an error that names the invalid
// option.
func NewUsers(o Options) (*Users, error) {
	passwords, err := NewPasswords(PasswordOptions{Policy: o.Passwords, Hashes: o.Hashes, Queue: o.PasswordQueue})
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Users{passwords: passwords, usernames: o.Usernames, clock: o.Now}, nil
}

// Passwords returns what hashes the passwords of the accounts.
func (u *Users) Passwords() *Passwords { return u.passwords }

// Caller returns the active user with an id as a caller with their permissions. Use it in
// a scheme of your own that identifies users by other means. scheme is the name of that
// scheme, see [framework.Caller]; an empty name and the names of the schemes of this package
// are an error. If the user does not exist or is inactive, the error is [ErrNotFound].
func (u *Users) Caller(ctx context.Context, s *sqldb.Session, id uuid.UUID, scheme string) (*framework.Caller, error) {
	if slices.Contains([]string{"", tokenScheme, sessionScheme, jwtScheme}, scheme) {
		return nil, fmt.Errorf("auth.Users.Caller: the scheme %q is empty or a scheme of package auth; use another name", scheme)
	}
	h := &tokenHolder{}
	err := readFirst(ctx, s, activeUser.With(id), h.dest()...)
	if err != nil {
		return nil, orMissing(err, userNotFound(id))
	}
	caller := h.caller()
	caller.Scheme = scheme
	return caller, nil
}

var activeUser = userTemplate("", "auth_users AS u", "u.id = ? AND u.is_active") //nolint:gochecknoglobals // it never changes

// now returns the time in the precision that both databases store.
func (u *Users) now() time.Time { return u.clock().UTC().Truncate(time.Microsecond) }

// within runs fn in the transaction s, or in a new one if s is the pool.
func within(ctx context.Context, s *sqldb.Session, fn func(context.Context, *sqldb.Session) error) error {
	if s.InTx() {
		return fn(ctx, s)
	}
	return s.DB().InTx(ctx, fn)
}
