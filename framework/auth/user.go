package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// A User is an account. It does not contain the hash of the password. [Users.CreateUser],
// [Users.SetPassword] and [Users.CheckPassword] write the hash; only CheckPassword reads it.
type User struct {
	bun.BaseModel `bun:"table:auth_users,alias:u"`

	ID          uuid.UUID `bun:"id,pk"`
	Email       string    // unique, as NormalizeEmail returns it
	Username    string    `bun:",nullzero"` // unique, as NormalizeUsername returns it; empty without one
	Name        string    // may be empty
	IsActive    bool      // an inactive user cannot authenticate
	IsStaff     bool      // may use what requires staff; holds no permission by that
	IsSuperuser bool      // holds every permission
	CreatedAt   time.Time // UTC
	UpdatedAt   time.Time // UTC; every change updates it, except that of permissions, groups and credentials

	// EmailVerifiedAt is when the user proved to read the mail of the address, or when an
	// identity provider stated it at the first sign-in, in UTC, or nil.
	EmailVerifiedAt *time.Time
}

// userWithHash is the whole row.
type userWithHash struct {
	User         `bun:",extend"`
	PasswordHash string
}

// A NewUser is the input of [Users.CreateUser].
type NewUser struct {
	Email     string // required
	Username  string // as NormalizeUsername accepts it. Defaults to none
	Name      string // at most 200 characters. Defaults to none
	Password  string // required
	Staff     bool   // Defaults to false
	Superuser bool   // Defaults to false
}

// Format writes everything except the password, for every verb.
func (n NewUser) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, n.LogValue().Group()) }

// MarshalJSON writes everything except the password, for logs in JSON.
func (n NewUser) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"email": n.Email, "username": n.Username, "name": n.Name, "staff": n.Staff, "superuser": n.Superuser})
}

// LogValue returns everything except the password.
func (n NewUser) LogValue() slog.Value {
	return slog.GroupValue(slog.String("email", n.Email), slog.String("username", n.Username), slog.String("name", n.Name),
		slog.Bool("staff", n.Staff), slog.Bool("superuser", n.Superuser))
}

// CreateUser adds an active user. An invalid value, such as an e-mail that is already
// used, is an [InputError]. It hashes the password, which takes tens of milliseconds, and
// first waits up to 5 s for its turn. If the queue for hashes is full or the wait is longer,
// the error is a *framework.Error of status 503.
func (u *Users) CreateUser(ctx context.Context, s *sqldb.Session, n NewUser) (User, error) {
	row, err := u.prepare(ctx, n)
	if err != nil {
		return User{}, err
	}
	if err := insertUser(ctx, s, row); err != nil {
		return User{}, err
	}
	return row.User, nil
}

// prepare makes the row of a user without the database, so that a caller can hash the
// password before it opens a transaction.
func (u *Users) prepare(ctx context.Context, n NewUser) (userWithHash, error) {
	row, err := u.newRow(n)
	if err != nil {
		return userWithHash{}, err
	}
	if err := u.passwords.rules.judge(ctx, n.Password, ownerOf(row.User)); err != nil {
		return userWithHash{}, err
	}
	row.PasswordHash, err = u.passwords.hasher.hash(ctx, n.Password)
	return row, err
}

func insertUser(ctx context.Context, s *sqldb.Session, row userWithHash) error {
	_, err := s.Exec(ctx, s.IDB().NewInsert().Model(&row))
	if isFault(err, sqldb.Unique) {
		if fault, _ := sqldb.Classify(err); slices.Contains(fault.Columns, "username") || fault.Constraint == "auth_users_username" {
			return usernameTaken()
		}
		return emailTaken(row.Email)
	}
	return err
}

func (u *Users) newRow(n NewUser) (userWithHash, error) {
	email, err := newEmail(n.Email)
	if err != nil {
		return userWithHash{}, err
	}
	name, err := normalizeName(n.Name)
	if err != nil {
		return userWithHash{}, err
	}
	username := ""
	if n.Username != "" {
		if username, err = NormalizeUsername(n.Username); err != nil {
			return userWithHash{}, err
		}
	}
	id, err := uuid.NewV7()
	now := u.now()
	return userWithHash{User: User{
		ID: id, Email: email, Username: username, Name: name,
		IsActive: true, IsStaff: n.Staff, IsSuperuser: n.Superuser,
		CreatedAt: now, UpdatedAt: now,
	}}, err
}

// FindUser returns the user with an e-mail. The spelling may differ as far as
// [NormalizeEmail] normalises it. If the user does not exist or the text is not an e-mail
// address, the error is [ErrNotFound].
func (u *Users) FindUser(ctx context.Context, s *sqldb.Session, email string) (User, error) {
	row, err := findByEmail(ctx, s, email)
	return row.User, err
}

// UserByID returns the user with an id. If the user does not exist, the error is
// [ErrNotFound].
func (u *Users) UserByID(ctx context.Context, s *sqldb.Session, id uuid.UUID) (User, error) {
	var user User
	q := s.IDB().NewSelect().Model(&user).Where("u.id = ?", id)
	err := scanOne(ctx, s, q, &user)
	return user, orMissing(err, userNotFound(id))
}

func findByEmail(ctx context.Context, s *sqldb.Session, email string) (userWithHash, error) {
	var row userWithHash
	normal, err := NormalizeEmail(email)
	if err != nil {
		return row, fmt.Errorf("no user has such an e-mail: %w", ErrNotFound)
	}
	q := s.IDB().NewSelect().Model(&row).Where("u.email = ?", normal)
	err = scanOne(ctx, s, q, &row)
	return row, orMissing(err, fmt.Errorf("no user has the e-mail %s: %w", normal, ErrNotFound))
}

// CheckPassword returns the active user with an e-mail and a password. If [Options].Usernames is
// set, a text without "@" is a user name. An unknown e-mail,
// an inactive user and a wrong password are the same error, which wraps
// [ErrWrongCredentials], after the same work. A password that no account can have, because
// it is not UTF-8 or has more than 4096 bytes, is that error without work.
//
// CheckPassword waits for its turn, as [Users.CreateUser] does, with the same error of status
// 503. After a wrong password, the next passwords of the client wait behind those of other
// clients. If a correct password was hashed in another format or at another cost, it is hashed
// and stored again, unless the queue for hashes is full.
func (u *Users) CheckPassword(ctx context.Context, s *sqldb.Session, email, password string) (User, error) {
	if !canBePassword(password) {
		return User{}, rejection{reason: "password"} // no user has such a password
	}
	row, err := u.findByAccount(ctx, s, email)
	if errors.Is(err, ErrNotFound) {
		return User{}, cmp.Or(u.passwords.hasher.pretend(ctx, password), error(rejection{reason: "unknown"}))
	}
	if err != nil {
		return User{}, err
	}
	return row.User, u.checkPassword(ctx, s, row, password)
}

// rehash replaces the hash, unless another request has changed it. It waits for a slot. If the
// queue is full or the wait is too long, it returns [errBusy].
func (u *Users) rehash(ctx context.Context, s *sqldb.Session, row userWithHash, password string) error {
	hash, err := u.passwords.hasher.hash(ctx, password)
	if _, impossible := errors.AsType[*InputError](err); impossible {
		return nil // the new format cannot hash it; the old hash stays
	}
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, s.IDB().NewUpdate().Table("auth_users").
		Set("password_hash = ?", hash).
		Where("id = ?", row.ID).Where("password_hash = ?", row.PasswordHash))
	return err
}

// SetActive allows or forbids a user to authenticate. Every credential of an inactive
// user is rejected from the next request on, and a session cookie is cleared. If active is
// false, the JWT logins of the user end. Tokens, and sessions whose cookie was not cleared,
// are valid again when the user is active again. If the user does not exist, the error is
// [ErrNotFound].
func (u *Users) SetActive(ctx context.Context, s *sqldb.Session, id uuid.UUID, active bool) error {
	return within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		if err := u.update(ctx, s, id, "is_active", active); err != nil || active {
			return err
		}
		return endFamilies(ctx, s, id)
	})
}

// update sets one column, whose name is a constant of this package, and updated_at. If the
// user does not exist, it returns [ErrNotFound].
func (u *Users) update(ctx context.Context, s *sqldb.Session, id uuid.UUID, column string, value any) error {
	n, err := countChanged(ctx, s, s.IDB().NewUpdate().Table("auth_users").
		Set("? = ?", bun.Ident(column), value).
		Set("updated_at = ?", u.now()).
		Where("id = ?", id))
	if err == nil && n == 0 {
		err = userNotFound(id)
	}
	return err
}

func userNotFound(id uuid.UUID) error {
	return fmt.Errorf("no user has the id %s: %w", id, ErrNotFound)
}
