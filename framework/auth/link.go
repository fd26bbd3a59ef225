package auth

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// The purposes of links.
const (
	linkReset = "reset" // sets a new password
	linkEmail = "email" // makes an e-mail address the verified one of the user
)

const (
	resetLife = time.Hour      // of a link that sets a password
	emailLife = 24 * time.Hour // of a link that verifies an address

	linkPrefix = "trl_" // so that scanners for leaked secrets can find one
	linkLength = len(linkPrefix) + 43
)

// CodeInvalidLink is the code of the 400 for a token of a mail that is unknown, used or expired.
const CodeInvalidLink = "invalid_link"

// A mailLink is the right to do one thing once, for the person who reads the mail of an address.
// The token of the mail is not stored. A user has at most one link of each purpose. A change of
// the password or of the e-mail address deletes all links of the user.
type mailLink struct {
	bun.BaseModel `bun:"table:auth_mail_links,alias:ml"`

	ID        uuid.UUID `bun:"id,pk"`
	UserID    uuid.UUID
	Purpose   string
	Email     string // the address that the mail was sent to
	TokenHash []byte
	CreatedAt time.Time // UTC
	ExpiresAt time.Time // UTC
}

// issueLink stores a link and returns its token. It replaces the earlier link of the user for
// the same purpose. If the account changed since it was read, is inactive or was deleted, the
// error is [ErrWrongCredentials].
func (u *Users) issueLink(ctx context.Context, s *sqldb.Session, user User, purpose, email string) (Secret, error) {
	key := make([]byte, tokenBytes)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	plain := linkPrefix + base64.RawURLEncoding.EncodeToString(key)
	id, err := uuid.NewV7()
	if err != nil {
		return Secret{}, err
	}
	life, now := resetLife, u.now()
	if purpose == linkEmail {
		life = emailLife
	}
	row := mailLink{ID: id, UserID: user.ID, Purpose: purpose, Email: email, TokenHash: hashToken(plain), CreatedAt: now, ExpiresAt: now.Add(life)}
	err = within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		if err := lockUnchanged(ctx, s, user); err != nil {
			return err
		}
		_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_mail_links").Where("user_id = ?", user.ID).Where("purpose = ?", purpose))
		if err != nil {
			return err
		}
		_, err = s.Exec(ctx, s.IDB().NewInsert().Model(&row))
		return err
	})
	return NewSecret(plain), err
}

// findLink returns the valid link of a token and its active user. For every other token the
// error is the same 400 [CodeInvalidLink].
func (u *Users) findLink(ctx context.Context, s *sqldb.Session, token, purpose string) (mailLink, User, error) {
	var link mailLink
	if len(token) != linkLength || !strings.HasPrefix(token, linkPrefix) {
		return link, User{}, invalidLink()
	}
	err := scanOne(ctx, s, s.IDB().NewSelect().Model(&link).
		Where("ml.token_hash = ?", hashToken(token)).Where("ml.purpose = ?", purpose).Where("ml.expires_at > ?", u.now()), &link)
	if errors.Is(err, sql.ErrNoRows) {
		return link, User{}, invalidLink()
	}
	if err != nil {
		return link, User{}, err
	}
	user, err := u.UserByID(ctx, s, link.UserID)
	if errors.Is(err, ErrNotFound) || err == nil && !user.IsActive {
		return link, User{}, invalidLink()
	}
	return link, user, err
}

// useLink deletes a link that findLink returned. If another request used it meanwhile, or the
// user changed, the error is the 400 [CodeInvalidLink]. It must run in the transaction of what
// the link permits.
func useLink(ctx context.Context, s *sqldb.Session, link mailLink, user User) error {
	if err := lockUnchanged(ctx, s, user); err != nil {
		if errors.Is(err, ErrWrongCredentials) {
			return invalidLink()
		}
		return err
	}
	n, err := countChanged(ctx, s, s.IDB().NewDelete().Table("auth_mail_links").Where("id = ?", link.ID))
	if err == nil && n == 0 {
		return invalidLink()
	}
	return err
}

// endLinks deletes all links of a user.
func endLinks(ctx context.Context, s *sqldb.Session, userID uuid.UUID) error {
	_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_mail_links").Where("user_id = ?", userID))
	return err
}

func invalidLink() error {
	return framework.Refuse(http.StatusBadRequest, CodeInvalidLink, "The token of the mail is unknown, used or expired; request another mail.")
}

// A linkKeeper deletes expired links.
type linkKeeper struct{ users *Users }

// Purge implements [housekeeper].
func (k linkKeeper) Purge(ctx context.Context, s *sqldb.Session) (int64, error) {
	return purge(ctx, s, purgeAtOnce, expiredRows{"auth_mail_links", "expires_at", k.users.now()})
}
