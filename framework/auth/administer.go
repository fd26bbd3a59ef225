package auth

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// This file has what package accounts needs for the administration of accounts. Programs with
// endpoints of their own for accounts may use it too.

// PrepareUser checks the values of a new user and hashes the password, without the database, as
// [Users.CreateUser] does. It returns the row and the hash for a program that stores the row
// itself. An invalid value is an [InputError].
func (u *Users) PrepareUser(ctx context.Context, n NewUser) (user User, hash string, err error) {
	row, err := u.prepare(ctx, n)
	return row.User, row.PasswordHash, err
}

// NormalizeNewEmail returns the form of an e-mail address that is stored, or an [InputError] if no new
// account can have the address. It rejects more than [NormalizeEmail]: also an address with
// characters that readers take for others.
func NormalizeNewEmail(email string) (string, error) { return newEmail(email) }

// NormalizeName returns the form of the name of a user or a group that is stored, or an [InputError].
func NormalizeName(name string) (string, error) { return normalizeName(name) }

// SetPasswordHash is [Users.SetPassword] with a hash that [Passwords.Hash] made, so that a caller
// can hash the password before it opens a transaction.
func (u *Users) SetPasswordHash(ctx context.Context, s *sqldb.Session, id uuid.UUID, hash string) error {
	return within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		return u.storePassword(ctx, s, id, hash, credential{})
	})
}

// EndSignIns deletes all tokens, sessions and JWT logins of a user at once. The password stays.
func (u *Users) EndSignIns(ctx context.Context, s *sqldb.Session, id uuid.UUID) error {
	return within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		if err := u.RevokeTokens(ctx, s, id); err != nil {
			return err
		}
		if err := endSessions(ctx, s, id); err != nil {
			return err
		}
		return endFamilies(ctx, s, id)
	})
}

// RecordEvent writes a line of the audit log at the level info: the event, the request, the address
// of the client, the id of the user unless it is uuid.Nil, and more. Call it after the
// commit. more must contain no secret and no e-mail address.
func (s *Service) RecordEvent(c *framework.Call, event string, user uuid.UUID, more ...slog.Attr) {
	s.note(c, event, user, more...)
}

// Notify sends a mail to a user beside the request, if the service has a Mailer. Call it after the
// commit. If too many mails wait, the log states that the mail was not sent.
func (s *Service) Notify(c *framework.Call, n Notice) { s.notify(c, n) }

// BeforeDelete runs [AccountOptions.BeforeDelete] for a user. Call it in the transaction that
// deletes the user.
func (s *Service) BeforeDelete(c *framework.Call, user User) error {
	if s.account.BeforeDelete == nil {
		return nil
	}
	return s.account.BeforeDelete(c, user)
}

// logoutEverywhere ends all sign-ins of the caller, that of the request too. The cookies of a session
// are cleared.
func (s *Service) logoutEverywhere(c *framework.Call, _ framework.None) (framework.None, error) {
	none, id := framework.None{}, framework.IDOf[uuid.UUID](c)
	if err := s.Users.EndSignIns(c, c.Session(), id); err != nil {
		return none, err
	}
	if c.Caller.Scheme == sessionScheme {
		if err := s.Sessions.End(c); err != nil {
			return none, err
		}
	}
	s.note(c, eventSignInsEnded, id)
	return none, nil
}
