package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

const (
	// TokenPrefix begins every token, so that scanners for leaked secrets can find one.
	TokenPrefix = "trs_"
	// DefaultTokenLife is how long a token is valid by default.
	DefaultTokenLife = 30 * 24 * time.Hour

	tokenBytes   = 32                    // 256 bits
	tokenLength  = len(TokenPrefix) + 43 // with 32 bytes in base64url without padding
	prefixLength = 8                     // the part that a list of tokens shows
)

// A TokenRecord is the stored data of an opaque token. It is enough to list the token,
// and nothing in it can be used to sign in.
type TokenRecord struct {
	bun.BaseModel `bun:"table:auth_tokens,alias:t"`

	ID         uuid.UUID `bun:"id,pk"`
	UserID     uuid.UUID
	Name       string     // the name that the user chose: "laptop". May be empty
	Prefix     string     // the first 8 characters of the token
	CreatedAt  time.Time  // UTC
	ExpiresAt  *time.Time // UTC; nil for never
	LastUsedAt *time.Time // UTC, up to two minutes behind; nil if [Tokens] has stored no use
}

// tokenWithHash is the whole row. The hash is a plain SHA-256, because a token is 256
// random bits, which no dictionary contains.
type tokenWithHash struct {
	TokenRecord `bun:",extend"`
	KeyHash     []byte
}

// IssueToken makes a token for a user and returns it with its record. The token itself is not
// stored, so it cannot be read later. It is valid for life; zero means
// [DefaultTokenLife]. A negative life and a malformed name are an [InputError]; the name
// may be empty.
//
// user is the account that [Users.CheckPassword] or [Users.UserByID] just returned. If
// the account changed since, is inactive or was deleted, the error is
// [ErrWrongCredentials]. So a token obtained with the old password cannot survive a
// change of the password.
func (u *Users) IssueToken(
	ctx context.Context, s *sqldb.Session, user User, name string, life time.Duration,
) (Secret, TokenRecord, error) {
	name, err := normalizeName(name)
	if err == nil && life < 0 {
		err = invalid("expires_in", "min", fmt.Sprintf("A token cannot live for %s; give a time above zero, or zero for 30 days.", life))
	}
	if err != nil {
		return Secret{}, TokenRecord{}, err
	}
	plain := newToken()
	row, err := u.tokenRow(plain, user.ID, name, life)
	if err != nil {
		return Secret{}, TokenRecord{}, err
	}
	err = within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		if err := lockUnchanged(ctx, s, user); err != nil {
			return err
		}
		_, err := s.Exec(ctx, s.IDB().NewInsert().Model(&row))
		return err
	})
	if err != nil {
		return Secret{}, TokenRecord{}, err
	}
	return NewSecret(plain), row.TokenRecord, nil
}

func (u *Users) tokenRow(plain string, userID uuid.UUID, name string, life time.Duration) (tokenWithHash, error) {
	if life == 0 {
		life = DefaultTokenLife
	}
	id, err := uuid.NewV7()
	now := u.now()
	expires := now.Add(life).Truncate(time.Microsecond)
	return tokenWithHash{
		TokenRecord: TokenRecord{
			ID: id, UserID: userID, Name: name, Prefix: plain[:prefixLength],
			CreatedAt: now, ExpiresAt: &expires,
		},
		KeyHash: hashToken(plain),
	}, err
}

// ListTokens returns the records of the tokens of a user, the oldest first. Expired tokens are
// listed until [Tokens.Purge] deletes them.
func (u *Users) ListTokens(ctx context.Context, s *sqldb.Session, userID uuid.UUID) ([]TokenRecord, error) {
	tokens := []TokenRecord{}
	err := scanAll(ctx, s, s.IDB().NewSelect().Model(&tokens).
		Where("t.user_id = ?", userID).Order("t.created_at", "t.id"), &tokens)
	return tokens, err
}

// RevokeToken deletes a token by its text, at once. If it does not exist, the error is
// [ErrNotFound].
func (u *Users) RevokeToken(ctx context.Context, s *sqldb.Session, plain string) error {
	n, err := countChanged(ctx, s, s.IDB().NewDelete().Table("auth_tokens").
		Where("key_hash = ?", hashToken(plain)))
	return orNoToken(n, err)
}

// RevokeTokenByID deletes one token of a user at once. If it does not exist or belongs to
// another user, the error is [ErrNotFound].
func (u *Users) RevokeTokenByID(ctx context.Context, s *sqldb.Session, userID, id uuid.UUID) error {
	n, err := countChanged(ctx, s, s.IDB().NewDelete().Table("auth_tokens").
		Where("id = ?", id).Where("user_id = ?", userID))
	return orNoToken(n, err)
}

// RevokeTokens deletes all tokens of a user at once.
func (u *Users) RevokeTokens(ctx context.Context, s *sqldb.Session, userID uuid.UUID) error {
	_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_tokens").Where("user_id = ?", userID))
	return err
}

func orNoToken(n int64, err error) error {
	if err == nil && n == 0 {
		err = fmt.Errorf("there is no such token: %w", ErrNotFound)
	}
	return err
}

func newToken() string {
	key := make([]byte, tokenBytes)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	return TokenPrefix + base64.RawURLEncoding.EncodeToString(key)
}

func hashToken(plain string) []byte {
	sum := sha256.Sum256([]byte(plain))
	return sum[:]
}
