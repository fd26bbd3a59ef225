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

// A SessionRecord is the stored data of a session. It is enough to list the session, and
// nothing in it can be used to sign in.
type SessionRecord struct {
	bun.BaseModel `bun:"table:auth_sessions,alias:se"`

	ID         uuid.UUID `bun:"id,pk"` // identifies the session; no part of the cookie
	UserID     uuid.UUID
	CreatedAt  time.Time // UTC
	LastSeenAt time.Time // UTC, up to two minutes behind
}

// sessionWithHash is the whole row.
type sessionWithHash struct {
	SessionRecord `bun:",extend"`
	KeyHash       []byte
}

// Begin signs a user in on the browser that sent the request, and returns the token for
// the header X-CSRFToken. It sets the cookies of the session and of the token, and clears
// the cookie "presession". The session has a new key; the earlier session of the browser is
// deleted.
//
// It first runs the checks of [Sessions.CheckCSRF], for every method. user is the account that
// [Users.CheckPassword] or [Users.UserByID] just returned. If the account changed since,
// is inactive or was deleted, the error is [ErrWrongCredentials]. So a login with the old
// password cannot survive a change of the password. A function that changes the password of its
// caller keeps the browser signed in by three calls: [Users.SetPassword], [Users.UserByID], Begin.
func (s *Sessions) Begin(c *framework.Call, user User) (csrfToken string, err error) {
	if err := s.checkAuthenticated(c); err != nil {
		return "", err
	}
	return s.begin(c, user)
}

// begin is Begin without the CSRF check, for callers that already made it.
func (s *Sessions) begin(c *framework.Call, user User) (csrfToken string, err error) {
	key := newKey()
	old, _ := s.key(c.Request(), sessionCookie)
	err = within(c, c.Session(), func(ctx context.Context, db *sqldb.Session) error {
		if err := lockUnchanged(ctx, db, user); err != nil {
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

// End signs the browser out: it deletes the session and clears the cookies. Without a
// session, or with several session cookies, it only clears the cookies.
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

// List returns the live sessions of a user, the oldest first.
func (s *Sessions) List(ctx context.Context, db *sqldb.Session, userID uuid.UUID) ([]SessionRecord, error) {
	sessions, now := []SessionRecord{}, s.now()
	err := scanAll(ctx, db, db.IDB().NewSelect().Model(&sessions).
		Where("se.user_id = ?", userID).
		Where("se.created_at > ?", now.Add(-s.options.Life)).
		Where("se.last_seen_at > ?", now.Add(-s.options.IdleLife)).
		Order("se.created_at", "se.id"), &sessions)
	return sessions, err
}

// EndByID ends one session of a user at once. If the session does not exist or belongs to
// another user, the error is [ErrNotFound].
func (s *Sessions) EndByID(ctx context.Context, db *sqldb.Session, userID, id uuid.UUID) error {
	n, err := countChanged(ctx, db, db.IDB().NewDelete().Table("auth_sessions").
		Where("id = ?", id).Where("user_id = ?", userID))
	if err == nil && n == 0 {
		err = fmt.Errorf("there is no such session: %w", ErrNotFound)
	}
	return err
}

// EndAll ends all sessions of a user at once, as [Users.SetPassword] also does.
func (s *Sessions) EndAll(ctx context.Context, db *sqldb.Session, userID uuid.UUID) error {
	return endSessions(ctx, db, userID)
}

// Flush stores which sessions were used since the last Flush of this process; the idle
// life depends on it. [Sessions.Run] calls it every minute. All processes together write
// each row at most once a minute, so the table is up to two minutes behind. A session may
// end up to two minutes before its idle life, and never after it. Uses that an error
// keeps from being stored wait for the next Flush.
func (s *Sessions) Flush(ctx context.Context, db *sqldb.DB) error { return s.uses.flush(ctx, db) }

// Purge deletes the sessions that have ended, and counts them. It only frees space: ended
// sessions are rejected without it. On the pool it uses transactions of 1,000 rows.
func (s *Sessions) Purge(ctx context.Context, db *sqldb.Session) (int64, error) {
	return purge(ctx, db, purgeAtOnce, s.expired()...)
}

// expired selects the sessions after their idle life, and then those in use after their total life.
func (s *Sessions) expired() []expiredRows {
	now := s.now()
	return []expiredRows{
		{"auth_sessions", "last_seen_at", now.Add(-s.options.IdleLife)},
		{"auth_sessions", "created_at", now.Add(-s.options.Life)},
	}
}

// Run calls [Sessions.Flush] every minute and [Sessions.Purge] every hour until ctx ends.
// Then it flushes once more and returns. It passes errors and panics to report and continues.
// Without Run a session ends when IdleLife has passed since its beginning, even if it is used.
func (s *Sessions) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	runHousekeeping(ctx, db, report, s)
}

func endSessions(ctx context.Context, db *sqldb.Session, userID uuid.UUID) error {
	_, err := db.Exec(ctx, db.IDB().NewDelete().Table("auth_sessions").Where("user_id = ?", userID))
	return err
}

// lockUnchanged writes the row of a user as it is. It returns [ErrWrongCredentials] if the
// user changed since it was read, is inactive or was deleted. So a change of the password at
// the same time either waits for the new session, token or login and deletes it, or is detected
// here. At the isolation level read committed a lock would be enough. At a stricter level of
// PostgreSQL, only a write makes the transaction of the change begin again and see the new row.
func lockUnchanged(ctx context.Context, db *sqldb.Session, user User) error {
	var now User
	q := db.IDB().NewUpdate().Model((*User)(nil)).Set("is_active = u.is_active").Where("u.id = ?", user.ID).Returning("is_active, updated_at")
	err := orMissing(scanOne(ctx, db, q, &now), ErrWrongCredentials)
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

// deleteSession deletes the session of a key, if there is one.
func deleteSession(ctx context.Context, db *sqldb.Session, key string) error {
	if key == "" {
		return nil
	}
	_, err := db.Exec(ctx, db.IDB().NewDelete().Table("auth_sessions").Where("key_hash = ?", hashToken(key)))
	return err
}
