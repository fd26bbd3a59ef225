package auth

import (
	"cmp"
	"context"
	"fmt"
)

// PasswordOptions are the settings of [NewPasswords].
type PasswordOptions struct {
	// Policy is the policy for new passwords. Defaults to at least 8 characters, and no
	// password of a built-in list of common passwords.
	Policy PasswordPolicy
	// Hashes states how hashes are read and written. Defaults to [Argon2id].
	Hashes HashOptions
	// Queue is how many passwords may wait to be hashed. If the queue is full, the newest
	// password of the client with the most waiting passwords is answered 503. Defaults to
	// 128; in a longer queue clients would time out before their turn.
	Queue int
}

// Passwords hashes and checks passwords, for a program with a table of users of its own. It
// stores nothing:
//
//	ok, outdated, err := passwords.Verify(ctx, row.PasswordHash, in.Password)
//	if ok && outdated {
//		row.PasswordHash, err = passwords.Hash(ctx, in.Password) // and store it
//	}
//
// Make one Passwords for the process, because it bounds how many passwords are hashed at once:
// two. It is safe for concurrent use.
type Passwords struct {
	rules  *passwordRules
	hasher *hasher
}

// NewPasswords returns passwords with the options o, or an error that names the invalid option.
func NewPasswords(o PasswordOptions) (*Passwords, error) {
	rules, err := newPasswordRules(o.Policy)
	if err != nil {
		return nil, err
	}
	if o.Queue < 0 {
		return nil, fmt.Errorf("auth: PasswordQueue is %d; it must be 1 or more, or 0 for the default of %d", o.Queue, hashQueue)
	}
	if err := o.Hashes.complete(); err != nil {
		return nil, err
	}
	return &Passwords{rules, newHasher(cmp.Or(o.Queue, hashQueue), o.Hashes)}, nil
}

// Check returns an [InputError] if the policy rejects a new password for an account, or another
// error of [PasswordPolicy].Check. The members of owner may be empty.
func (p *Passwords) Check(ctx context.Context, password string, owner PasswordOwner) error {
	return p.rules.judge(ctx, password, owner)
}

// Hash returns a new hash of a password in the format of [HashOptions].Write. It does not check
// the policy. A hash takes tens or hundreds of milliseconds, after a wait of up to 5 s for its
// turn. If the queue is full or the wait is longer, the error is a *framework.Error of status
// 503. A password that is not UTF-8, and one that the format cannot hash, is an [InputError].
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	if err := checkPasswordBytes(password); err != nil {
		return "", err
	}
	return p.hasher.hash(ctx, password)
}

// Verify reports whether stored is the hash of a password, and whether it is outdated: then the
// program should store a new one of [Passwords.Hash]. A wrong password is not an error. If
// stored is in no known format or its cost is out of bounds, the result is an error that wraps
// [ErrHash] and does not repeat it: log it, call [Passwords.Pretend], and answer as to a wrong
// password, because another answer discloses the account. Verify waits for its turn as Hash does.
func (p *Passwords) Verify(ctx context.Context, stored, password string) (ok, outdated bool, err error) {
	if !canBePassword(password) {
		return false, false, nil
	}
	return p.hasher.verify(ctx, stored, password)
}

// Pretend does the work of [Passwords.Verify] for an account that does not exist, so that the
// time of the answer does not disclose that. The account is then answered as one with a wrong
// password.
func (p *Passwords) Pretend(ctx context.Context, password string) error {
	if !canBePassword(password) {
		return nil
	}
	return p.hasher.pretend(ctx, password)
}
