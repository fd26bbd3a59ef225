package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

const hashLength = sha256.Size

// A SessionRecord is what is kept of a session: enough to list it, nothing to
// use it with.
type SessionRecord struct {
	bun.BaseModel `bun:"table:auth_sessions,alias:se"`

	ID         uuid.UUID `bun:"id,pk"` // names it; no part of the cookie
	UserID     uuid.UUID
	CreatedAt  time.Time // UTC
	LastSeenAt time.Time // UTC, up to two minutes behind
}

// sessionWithHash is the whole row.
type sessionWithHash struct {
	SessionRecord `bun:",extend"`
	KeyHash       []byte
}

// Begin signs a user in on the browser that sent the request, and returns the
// token that its scripts send as X-CSRFToken from now on. The session has a
// new id; the one that the browser had before is deleted.
//
// It first checks as [Sessions.CheckCSRF] does, whatever the method. user is
// the account as [Users.CheckPassword] or [Users.UserByID] just returned it: if
// it was changed since, is inactive or gone, that is [ErrWrongCredentials], so
// that a login with the old password does not outlast a change of it.
func (s *Sessions) Begin(c *framework.Call, user User) (csrfToken string, err error) {
	if err := s.CheckCSRF(c); err != nil {
		return "", err
	}
	return s.begin(c, user)
}

// begin is Begin for who has checked the request already.
func (s *Sessions) begin(c *framework.Call, user User) (csrfToken string, err error) {
	key := newKey()
	old, _ := s.key(c.Request(), sessionCookie)
	err = within(c, c.Session(), func(ctx context.Context, db *sqldb.Session) error {
		if err := unchanged(ctx, db, user); err != nil {
			return err
		}
		if err := deleteSession(ctx, db, old); err != nil {
			return err
		}
		return insertSession(ctx, db, key, user.ID, c.Now)
	})
	if err != nil {
		return "", err
	}
	s.setKey(c, sessionCookie, key)
	s.clear(c, s.name(presessionCookie))
	csrfToken = maskCSRF(csrfSecret(sessionCookie, key))
	s.setCSRF(c, csrfToken)
	return csrfToken, nil
}

// End signs the browser out: its session is deleted and its cookies cleared.
// Without a session it clears the cookies.
func (s *Sessions) End(c *framework.Call) error {
	key, _ := s.key(c.Request(), sessionCookie)
	if err := deleteSession(c, c.Session(), key); err != nil {
		return err
	}
	for _, name := range []string{s.name(sessionCookie), s.name(presessionCookie), csrfCookie} {
		s.clear(c, name)
	}
	return nil
}

// List returns a user's live sessions, the oldest first.
func (s *Sessions) List(ctx context.Context, db *sqldb.Session, userID uuid.UUID) ([]SessionRecord, error) {
	sessions, now := []SessionRecord{}, s.now()
	err := scanAll(ctx, db, db.IDB().NewSelect().Model(&sessions).
		Where("se.user_id = ?", userID).
		Where("se.created_at > ?", now.Add(-s.options.Life)).
		Where("se.last_seen_at > ?", now.Add(-s.options.IdleLife)).
		Order("se.created_at", "se.id"), &sessions)
	return sessions, err
}

// EndByID ends one session of a user, at once. One that does not exist or is
// another user's is [ErrNotFound].
func (s *Sessions) EndByID(ctx context.Context, db *sqldb.Session, userID, id uuid.UUID) error {
	n, err := changed(ctx, db, db.IDB().NewDelete().Table("auth_sessions").
		Where("id = ?", id).Where("user_id = ?", userID))
	if err == nil && n == 0 {
		err = fmt.Errorf("there is no such session: %w", ErrNotFound)
	}
	return err
}

// EndAll ends all sessions of a user, at once. [Users.SetPassword] does.
func (s *Sessions) EndAll(ctx context.Context, db *sqldb.Session, userID uuid.UUID) error {
	return endSessions(ctx, db, userID)
}

// Flush writes which sessions were used since the last Flush of this process,
// on which their idle life rests. [Sessions.Run] calls it every minute. Each
// row is written at most once a minute by all processes together, so that the
// table is up to two minutes behind: a session may end that much before its
// idle life, and never after it. What an error keeps from being written waits
// for the next Flush.
func (s *Sessions) Flush(ctx context.Context, db *sqldb.DB) error { return s.seen.flush(ctx, db) }

// Purge deletes the sessions that have come to their end, and counts them.
// They are refused without it: it only frees their room. On the pool it goes
// in transactions of 1,000 rows.
func (s *Sessions) Purge(ctx context.Context, db *sqldb.Session) (int64, error) {
	return purge(ctx, db, purgeAtOnce, s.ended()...)
}

// ended are the sessions past their idle life, of which there may be many, and
// then the few that are still used past their whole one.
func (s *Sessions) ended() []ended {
	now := s.now()
	return []ended{
		{"auth_sessions", "last_seen_at", now.Add(-s.options.IdleLife)},
		{"auth_sessions", "created_at", now.Add(-s.options.Life)},
	}
}

// Run calls [Sessions.Flush] every minute and [Sessions.Purge] every hour,
// until ctx ends; then it flushes once more and returns. Errors go to report
// and end nothing. Without Run every session ends its idle life after it
// began, however much it is used.
func (s *Sessions) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	keepHouse(ctx, db, report, s)
}

func endSessions(ctx context.Context, db *sqldb.Session, userID uuid.UUID) error {
	_, err := db.Exec(ctx, db.IDB().NewDelete().Table("auth_sessions").Where("user_id = ?", userID))
	return err
}

// unchanged writes a user's row as it is, so that a change of the password
// waits for the session that it is going to delete, or is seen here. A lock
// would do where the isolation is read committed; under a stricter one only a
// write has the change begin again, with what was committed meanwhile.
func unchanged(ctx context.Context, db *sqldb.Session, user User) error {
	var now User
	q := db.IDB().NewUpdate().Model((*User)(nil)).Set("is_active = u.is_active").Where("u.id = ?", user.ID).Returning("is_active, updated_at")
	err := found(scanOne(ctx, db, q, &now), ErrWrongCredentials)
	if err != nil {
		return err
	}
	if !now.IsActive || !now.UpdatedAt.Equal(user.UpdatedAt) {
		return ErrWrongCredentials
	}
	return nil
}

func insertSession(ctx context.Context, db *sqldb.Session, key string, userID uuid.UUID, now time.Time) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	row := sessionWithHash{
		SessionRecord: SessionRecord{ID: id, UserID: userID, CreatedAt: now, LastSeenAt: now},
		KeyHash:       hashToken(key),
	}
	_, err = db.Exec(ctx, db.IDB().NewInsert().Model(&row))
	return err
}

// deleteSession deletes the session of a key; "" and an unknown one are none.
func deleteSession(ctx context.Context, db *sqldb.Session, key string) error {
	if key == "" {
		return nil
	}
	_, err := db.Exec(ctx, db.IDB().NewDelete().Table("auth_sessions").Where("key_hash = ?", hashToken(key)))
	return err
}
