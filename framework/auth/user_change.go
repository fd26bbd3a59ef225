package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
)

// hasPassword reports whether a password can sign the user in. The text "!" and what follows it
// is stored for a user who signs in by other means.
func (r userWithHash) hasPassword() bool { return !strings.HasPrefix(r.PasswordHash, "!") }

// SetPassword changes the password of a user. It also deletes the tokens of the user and the
// links of mails, and ends their sessions and JWT logins. A password that the policy rejects is an
// [InputError]. If the user does not exist, the error is [ErrNotFound]. It waits for its
// turn to hash, as [Users.CreateUser] does, with the same error of status 503.
func (u *Users) SetPassword(ctx context.Context, s *sqldb.Session, id uuid.UUID, password string) error {
	user, err := u.UserByID(ctx, s, id)
	if err != nil {
		return err
	}
	if err := u.passwords.rules.judge(ctx, password, ownerOf(user)); err != nil {
		return err
	}
	hash, err := u.passwords.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	return within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		return u.storePassword(ctx, s, id, hash, credential{})
	})
}

// storePassword stores a hash and ends every credential and link of the user except kept. It
// must run in a transaction.
func (u *Users) storePassword(ctx context.Context, s *sqldb.Session, id uuid.UUID, hash string, kept credential) error {
	if err := u.update(ctx, s, id, "password_hash", hash); err != nil {
		return err
	}
	idb := s.IDB()
	tokens := idb.NewDelete().Table("auth_tokens").Where("user_id = ?", id)
	if kept.token != nil {
		tokens = tokens.Where("key_hash <> ?", kept.token)
	}
	sessions := idb.NewDelete().Table("auth_sessions").Where("user_id = ?", id)
	if kept.session != nil {
		sessions = sessions.Where("key_hash <> ?", kept.session)
	}
	logins := idb.NewDelete().Table("auth_jwt_families").Where("user_id = ?", id).Where("id <> ?", kept.login)
	_, tokensErr := s.Exec(ctx, tokens)
	if tokensErr != nil {
		return tokensErr
	}
	if _, err := s.Exec(ctx, sessions); err != nil {
		return err
	}
	if _, err := s.Exec(ctx, logins); err != nil {
		return err
	}
	return endLinks(ctx, s, id)
}

// SetName changes the name of a user, which may be empty. A malformed name is an [InputError].
// If the user does not exist, the error is [ErrNotFound].
func (u *Users) SetName(ctx context.Context, s *sqldb.Session, id uuid.UUID, name string) error {
	name, err := normalizeName(name)
	if err != nil {
		return err
	}
	return u.update(ctx, s, id, "name", name)
}

// SetEmail changes the e-mail address of a user, which then is not verified, and deletes the
// links of mails. An invalid address and one that another user has are an [InputError]; then a
// transaction of the caller must be rolled back. If the user does not exist, the error is
// [ErrNotFound].
func (u *Users) SetEmail(ctx context.Context, s *sqldb.Session, id uuid.UUID, email string) error {
	email, err := newEmail(email)
	if err != nil {
		return err
	}
	return within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		return u.storeEmail(ctx, s, id, email, nil)
	})
}

// storeEmail stores an address with the time when it was verified, or nil, and deletes the links
// of the user. It must run in a transaction.
func (u *Users) storeEmail(ctx context.Context, s *sqldb.Session, id uuid.UUID, email string, verified *time.Time) error {
	n, err := countChanged(ctx, s, s.IDB().NewUpdate().Table("auth_users").
		Set("email = ?", email).Set("email_verified_at = ?", verified).Set("updated_at = ?", u.now()).
		Where("id = ?", id))
	switch {
	case isFault(err, sqldb.Unique):
		return emailTaken(email)
	case err != nil:
		return err
	case n == 0:
		return userNotFound(id)
	}
	return endLinks(ctx, s, id)
}

// DeleteUser deletes a user with their credentials, links, permissions and memberships. If rows
// of other tables refer to the user, the error is that of the database for the foreign key, and
// the user stays; then a transaction of the caller must be rolled back. If the user does not
// exist, the error is [ErrNotFound].
func (u *Users) DeleteUser(ctx context.Context, s *sqldb.Session, id uuid.UUID) error {
	n, err := countChanged(ctx, s, s.IDB().NewDelete().Table("auth_users").Where("id = ?", id))
	if err == nil && n == 0 {
		err = userNotFound(id)
	}
	return err
}

// checkPassword returns nil if the password is that of an active user. A wrong password and an
// inactive user are an error that wraps [ErrWrongCredentials]. If the hash of a correct password
// is outdated, it hashes the password again, unless the queue for hashes is full. A stored hash
// that cannot be read is as a wrong password, after the same work: another answer would disclose
// the account.
func (u *Users) checkPassword(ctx context.Context, s *sqldb.Session, row userWithHash, password string) error {
	ok, again, err := u.passwords.hasher.verify(ctx, row.PasswordHash, password)
	switch {
	case errors.Is(err, ErrHash):
		return cmp.Or(u.passwords.hasher.pretend(ctx, password), error(rejection{row.ID, "hash"}))
	case err != nil:
		return fmt.Errorf("checking the password of user %s: %w", row.ID, err)
	case !ok:
		return rejection{row.ID, "password"}
	case !row.IsActive:
		return rejection{row.ID, "inactive"}
	case again:
		err = u.rehash(ctx, s, row, password)
	}
	if errors.Is(err, errBusy) { // the password is correct; a later login will hash it again
		err = nil
	}
	return err
}
