package auth

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// An Identity is what an identity provider states about a person who signed in there. Issuer
// and Subject together identify the person (OpenID Connect Core 1.0, section 2); the e-mail
// address does not, because it may change and be given to another person.
type Identity struct {
	// Issuer and Subject are required.
	Issuer, Subject string
	// Email is an address that the provider verified, or "". A new account needs one. The
	// address of an account that is created or linked counts as verified.
	Email string
	// Name is the name of a new account. A name that an account cannot have counts as "".
	Name string
	// Groups are the names of the groups of this package that the provider gives to the
	// person, and Permissions the permissions. They replace those of the last sign-in.
	Groups, Permissions []string
}

// An IdentityPolicy decides about an identity that signs in for the first time.
type IdentityPolicy struct {
	// Register creates an account. Defaults to false: the sign-in is rejected.
	Register bool
	// LinkEmail gives the identity the account with the same e-mail address, unless that
	// account is of staff or of a superuser, or has another identity of the issuer. The
	// person who made the account may not be the owner of the address. So its password no
	// longer works, its tokens are deleted, and its sessions and JWT logins end. Defaults to
	// false: an address that is already used is an [InputError]. So is always an address that no
	// new account can have, such as one with the sign of Kelvin in place of a K.
	LinkEmail bool
}

// identityRow is the whole row.
type identityRow struct {
	bun.BaseModel `bun:"table:auth_identities,alias:i"`

	Issuer     string `bun:",pk"`
	Subject    string `bun:",pk"`
	UserID     uuid.UUID
	Granted    string // the JSON of identityRights
	CreatedAt  time.Time
	SignedInAt time.Time
}

// An arrival is what a sign-in with an identity did.
type arrival struct {
	user    User
	event   string   // eventRegistered or eventIdentityLinked for a first sign-in, else ""
	unknown []string // names of groups that do not exist
}

// admitIdentity returns the active user of an identity. For a first sign-in it creates or links
// an account, as policy permits. It then renews the rights that the provider gives. s is a
// transaction. If another request signs the same identity in for the first time, the error may
// be a fault of kind Unique or an [InputError] of code unique; the caller repeats the transaction.
func (u *Users) admitIdentity(ctx context.Context, s *sqldb.Session, id Identity, policy IdentityPolicy) (a arrival, err error) {
	row, err := findIdentity(ctx, s, id)
	switch {
	case err == nil:
		a.user, err = u.UserByID(ctx, s, row.UserID)
	case errors.Is(err, sql.ErrNoRows):
		a, err = u.addIdentity(ctx, s, id, policy)
	}
	if err != nil {
		return a, err
	}
	if !a.user.IsActive {
		return a, rejection{a.user.ID, "inactive"}
	}
	if err := lockUnchanged(ctx, s, a.user); err != nil { // sign-ins of one user renew the rights in turn
		return a, err
	}
	a.unknown, err = u.renewRights(ctx, s, a.user.ID, id)
	return a, err
}

func findIdentity(ctx context.Context, s *sqldb.Session, id Identity) (identityRow, error) {
	var row identityRow
	err := scanOne(ctx, s, s.IDB().NewSelect().Model(&row).
		Where("i.issuer = ?", id.Issuer).Where("i.subject = ?", id.Subject), &row)
	return row, err
}

// addIdentity stores an identity for the account with its e-mail address, or for a new account.
func (u *Users) addIdentity(ctx context.Context, s *sqldb.Session, id Identity, policy IdentityPolicy) (a arrival, err error) {
	if id.Email == "" {
		return a, invalid("email", "required", "The identity provider states no verified e-mail address.")
	}
	if _, err := newEmail(id.Email); err != nil { // FindUser would find the account of a similar address
		return a, err
	}
	a.user, err = u.FindUser(ctx, s, id.Email)
	switch {
	case err == nil:
		a.event = eventIdentityLinked
		a.user, err = u.linkable(ctx, s, a.user, id, policy)
	case errors.Is(err, ErrNotFound) && policy.Register:
		a.event = eventRegistered
		a.user, err = u.createWithoutPassword(ctx, s, id)
	}
	if err != nil {
		return a, err
	}
	now := u.now()
	row := identityRow{Issuer: id.Issuer, Subject: id.Subject, UserID: a.user.ID, Granted: "{}", CreatedAt: now, SignedInAt: now}
	_, err = s.Exec(ctx, s.IDB().NewInsert().Model(&row))
	return a, err
}

// createWithoutPassword adds an account that has no password.
func (u *Users) createWithoutPassword(ctx context.Context, s *sqldb.Session, id Identity) (User, error) {
	name, err := normalizeName(id.Name)
	if err != nil {
		name = ""
	}
	row, err := u.newRow(NewUser{Email: id.Email, Name: name})
	if err != nil {
		return User{}, err
	}
	row.PasswordHash, row.EmailVerifiedAt = unusableHash(), &row.CreatedAt
	_, err = s.Exec(ctx, s.IDB().NewInsert().Model(&row))
	return row.User, err
}

// linkable returns the account for an identity with the same e-mail address, after it ended all
// other credentials of the account. If policy does not permit the link, or if the account may
// not be linked, the error is that of an address that is already used.
func (u *Users) linkable(ctx context.Context, s *sqldb.Session, user User, id Identity, policy IdentityPolicy) (User, error) {
	if !policy.LinkEmail || user.IsStaff || user.IsSuperuser {
		return user, identityEmailTaken()
	}
	others, err := s.Read(ctx, s.IDB().NewSelect().Table("auth_identities").Column("subject").
		Where("user_id = ?", user.ID).Where("issuer = ?", id.Issuer))
	switch {
	case err != nil:
		return user, err
	case others.Len() > 0:
		return user, identityEmailTaken()
	case !user.IsActive:
		return user, rejection{user.ID, "inactive"}
	}
	if err := u.storePassword(ctx, s, user.ID, unusableHash(), credential{}); err != nil {
		return user, err
	}
	if err := u.update(ctx, s, user.ID, "email_verified_at", u.now()); err != nil {
		return user, err
	}
	return u.UserByID(ctx, s, user.ID)
}

func identityEmailTaken() error {
	return invalid("email", "unique", "An account with the e-mail address of the identity exists already.")
}

// unusableHash returns the hash of an account without a password, as Django has it.
func unusableHash() string { return "!" + rand.Text() }
