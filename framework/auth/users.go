package auth

import (
	"cmp"
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
	// Passwords says which passwords may be set. Defaults to at least 8
	// characters, and none of a built-in list of common passwords.
	Passwords PasswordPolicy
	// PasswordQueue is how many passwords wait to be hashed at most. One too many ends
	// the wait of the newest of the client that has most of them, which is answered
	// 503. Defaults to 128: more would wait for longer than clients do.
	PasswordQueue int
	// Now tells the time, for tests. Defaults to time.Now.
	Now func() time.Time
}

// Users keeps accounts: users, their groups and permissions, and their tokens.
//
// Every method takes the session to run in. On the pool (DB.Session) a method
// that changes several tables opens a transaction of its own; in a transaction
// it joins that one. Make one Users for the process, because it bounds how
// many passwords are hashed at once (two, 19 MiB each). It is safe for
// concurrent use.
type Users struct {
	rules  *passwordRules
	hasher *hasher
	clock  func() time.Time
}

// NewUsers returns the accounts under o, or an error that says which option
// cannot be used.
func NewUsers(o Options) (*Users, error) {
	rules, err := newPasswordRules(o.Passwords)
	if err != nil {
		return nil, err
	}
	if o.PasswordQueue < 0 {
		return nil, fmt.Errorf("auth.Options.PasswordQueue: %d passwords cannot wait; 1 or more can, and 0 stands for %d", o.PasswordQueue, hashQueue)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Users{rules: rules, hasher: newHasher(cmp.Or(o.PasswordQueue, hashQueue)), clock: o.Now}, nil
}

// Caller returns the active user with an id as a caller with their permissions,
// for a scheme of a program's own: one that recognises users by other means.
// scheme is the scheme's name, as [framework.Caller] has it, and none of this
// package's. Nobody, and an inactive user, is [ErrNotFound].
func (u *Users) Caller(ctx context.Context, s *sqldb.Session, id uuid.UUID, scheme string) (*framework.Caller, error) {
	if slices.Contains([]string{"", tokenScheme, sessionScheme, jwtScheme}, scheme) {
		return nil, fmt.Errorf("auth.Users.Caller: %q cannot be the name of another scheme; give it one of its own", scheme)
	}
	h := &tokenHolder{}
	err := firstRow(ctx, s, activeUser.With(id), h.dest()...)
	if err != nil {
		return nil, found(err, noUser(id))
	}
	caller := h.caller()
	caller.Scheme = scheme
	return caller, nil
}

var activeUser = userTemplate("", "auth_users AS u", "u.id = ? AND u.is_active") //nolint:gochecknoglobals // it never changes

// now is the time in the precision that both databases keep.
func (u *Users) now() time.Time { return u.clock().UTC().Truncate(time.Microsecond) }

// within runs fn in the transaction that s is, or in a new one.
func within(ctx context.Context, s *sqldb.Session, fn func(context.Context, *sqldb.Session) error) error {
	if s.InTx() {
		return fn(ctx, s)
	}
	return s.DB().InTx(ctx, fn)
}
