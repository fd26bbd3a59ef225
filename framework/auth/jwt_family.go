package auth

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A jwtFamily is a login: the one refresh token that is good for it, by its
// id. No token is kept. To end a login is to delete its row.
//
// Every statement that writes begins with this row, so that those of one login
// queue behind each other and never wait in a circle.
type jwtFamily struct {
	bun.BaseModel `bun:"table:auth_jwt_families,alias:f"`

	ID        uuid.UUID `bun:"id,pk"`
	UserID    uuid.UUID
	RefreshID uuid.UUID
	CreatedAt time.Time // UTC
	ExpiresAt time.Time // UTC, when its refresh token does
}

// A jwtSuperseded is a refresh token that was replaced within the grace. One
// that is neither this nor its family's own was replaced earlier.
type jwtSuperseded struct {
	bun.BaseModel `bun:"table:auth_jwt_superseded,alias:x"`

	RefreshID    uuid.UUID `bun:"refresh_id,pk"`
	FamilyID     uuid.UUID
	SupersededAt time.Time // UTC
}

// lapses is when a login whose refresh token is issued now ends by itself.
func (j *JWT) lapses(now time.Time) time.Time {
	return now.Add(time.Duration(j.refresh) * time.Second)
}

// beginFamily stores a login and clears away those of the user that lapsed.
func (j *JWT) beginFamily(ctx context.Context, s *sqldb.Session, family jwtFamily) error {
	_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_jwt_families").
		Where("user_id = ?", family.UserID).Where("expires_at <= ?", family.CreatedAt))
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, s.IDB().NewInsert().Model(&family))
	return err
}

// Purge deletes the logins that have lapsed, because nobody refreshed them, and
// counts them. Their tokens are refused without it: it only frees their room.
// On the pool it goes in transactions of 1,000 rows.
func (j *JWT) Purge(ctx context.Context, s *sqldb.Session) (int64, error) {
	return purge(ctx, s, purgeAtOnce, ended{"auth_jwt_families", "expires_at", j.now()})
}

// Run calls [JWT.Purge] every hour, until ctx ends. Errors go to report and end
// nothing.
func (j *JWT) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	keepHouse(ctx, db, report, j)
}

// rotate puts a refresh token in the place of an old one, if that is the one
// that is good: the one UPDATE decides, whoever else tries.
func (j *JWT) rotate(ctx context.Context, s *sqldb.Session, old *jwtClaims, next uuid.UUID, now time.Time) (refusal, err error) {
	active := s.IDB().NewSelect().TableExpr("auth_users AS u").ColumnExpr("1").
		Where("u.id = auth_jwt_families.user_id").Where("u.is_active")
	won, err := changed(ctx, s, s.IDB().NewUpdate().Table("auth_jwt_families").
		Set("refresh_id = ?", next).Set("expires_at = ?", j.lapses(now)).
		Where("id = ?", old.Family).Where("user_id = ?", old.Subject).Where("refresh_id = ?", old.ID).
		Where("created_at > ?", now.Add(-j.login)).Where("EXISTS (?)", active))
	switch {
	case err != nil:
		return nil, err
	case won == 0:
		return j.explain(ctx, s, old, now)
	}
	return nil, j.supersede(ctx, s, old, now)
}

// supersede remembers a replaced token for the grace, and forgets those whose
// grace is over.
func (j *JWT) supersede(ctx context.Context, s *sqldb.Session, old *jwtClaims, now time.Time) error {
	_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_jwt_superseded").
		Where("family_id = ?", old.Family).Where("superseded_at <= ?", now.Add(-j.grace)))
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, s.IDB().NewInsert().Model(&jwtSuperseded{
		RefreshID: old.ID, FamilyID: old.Family, SupersededAt: now,
	}))
	return err
}

// explain says why a refresh token is not good, and ends its login unless it
// was replaced just now.
func (j *JWT) explain(ctx context.Context, s *sqldb.Session, old *jwtClaims, now time.Time) (refusal, err error) {
	current, superseded, err := findRefresh(ctx, s, old)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return refusedJWT(), nil
	case err != nil:
		return nil, err
	case superseded.Valid && now.Before(superseded.Time.Add(j.grace)):
		return framework.Refuse(http.StatusUnauthorized, CodeRefreshSuperseded,
			"The refresh token was replaced a moment ago; use the tokens that replaced it."), nil
	}
	reason := refusedJWT()
	// Its own token, refused, means an inactive user or a login that is too old.
	if refused, ok := errors.AsType[*framework.Error](reason); ok && current != old.ID {
		reason = refused.Because(ErrRefreshReused)
	}
	return reason, endFamily(ctx, s, old.Family)
}

// findRefresh reads the login of a refresh token: which one is good now, and
// when this one was replaced, if that is still remembered.
func findRefresh(ctx context.Context, s *sqldb.Session, old *jwtClaims) (current uuid.UUID, superseded sql.NullTime, err error) {
	rows, err := s.Query(ctx, s.IDB().NewSelect().
		TableExpr("auth_jwt_families AS f").
		Join("LEFT JOIN auth_jwt_superseded AS x ON x.family_id = f.id AND x.refresh_id = ?", old.ID).
		ColumnExpr("f.refresh_id, x.superseded_at").
		Where("f.id = ?", old.Family).Where("f.user_id = ?", old.Subject))
	if err != nil {
		return current, superseded, err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return current, superseded, noRow(rows.Err())
	}
	err = rows.Scan(&current, &superseded)
	return current, superseded, err
}

func endFamily(ctx context.Context, s *sqldb.Session, family uuid.UUID) error {
	_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_jwt_families").Where("id = ?", family))
	return err
}

func endFamilies(ctx context.Context, s *sqldb.Session, userID uuid.UUID) error {
	_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_jwt_families").Where("user_id = ?", userID))
	return err
}
