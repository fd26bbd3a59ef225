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

// A jwtFamily is a login with the id of its valid refresh token. No token is stored.
// Deleting the row ends the login.
//
// Every transaction that writes the tokens of a login writes this row first, so that the
// transactions of one login wait for each other and never deadlock.
type jwtFamily struct {
	bun.BaseModel `bun:"table:auth_jwt_families,alias:f"`

	ID        uuid.UUID `bun:"id,pk"`
	UserID    uuid.UUID
	RefreshID uuid.UUID
	CreatedAt time.Time // UTC
	ExpiresAt time.Time // UTC; the expiry of its refresh token
}

// A jwtSuperseded is a replaced refresh token of a login. It is stored at least for the grace.
// If a login exists, and one of its refresh tokens is neither the valid one nor stored here, that
// token was replaced longer ago than the grace.
type jwtSuperseded struct {
	bun.BaseModel `bun:"table:auth_jwt_superseded,alias:x"`

	RefreshID    uuid.UUID `bun:"refresh_id,pk"`
	FamilyID     uuid.UUID
	SupersededAt time.Time // UTC
}

// refreshExpiry returns when a login ends by itself if its refresh token is issued now.
func (j *JWT) refreshExpiry(now time.Time) time.Time {
	return now.Add(time.Duration(j.refresh) * time.Second)
}

// beginFamily stores a login and deletes the expired logins of the user.
func (j *JWT) beginFamily(ctx context.Context, s *sqldb.Session, family jwtFamily) error {
	_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_jwt_families").
		Where("user_id = ?", family.UserID).Where("expires_at <= ?", family.CreatedAt))
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, s.IDB().NewInsert().Model(&family))
	return err
}

// Purge deletes the logins that expired because no client refreshed them, and counts
// them. It only frees space: their tokens are rejected without it. On the pool it uses
// transactions of 1,000 rows.
func (j *JWT) Purge(ctx context.Context, s *sqldb.Session) (int64, error) {
	return purge(ctx, s, purgeAtOnce, expiredRows{"auth_jwt_families", "expires_at", j.now()})
}

// Run calls [JWT.Purge] every hour until ctx ends. It passes errors and panics to report and
// continues.
func (j *JWT) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	runHousekeeping(ctx, db, report, j)
}

// rotate replaces a refresh token if it is the valid one of its login, the user is active and the
// login is not too old. Then it extends the login and returns nil twice. If it does not replace the
// token, it returns the results of [JWT.explain]. The transaction must commit even if clientErr is
// set, because the login may have to end. Of several requests at the same time, the UPDATE lets
// one win.
func (j *JWT) rotate(ctx context.Context, s *sqldb.Session, old *jwtClaims, next uuid.UUID, now time.Time) (clientErr, err error) {
	active := s.IDB().NewSelect().TableExpr("auth_users AS u").ColumnExpr("1").
		Where("u.id = auth_jwt_families.user_id").Where("u.is_active")
	won, err := countChanged(ctx, s, s.IDB().NewUpdate().Table("auth_jwt_families").
		Set("refresh_id = ?", next).Set("expires_at = ?", j.refreshExpiry(now)).
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

// supersede stores a replaced token for the grace and deletes the tokens of the same login
// whose grace is over.
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

// explain returns the error for a refresh token that rotate did not accept: clientErr for the
// client, err of the database. If the login exists, it ends the login, unless the token was
// replaced within the grace. If it ends the login and the token is not the current one,
// clientErr wraps [ErrRefreshReused].
func (j *JWT) explain(ctx context.Context, s *sqldb.Session, old *jwtClaims, now time.Time) (clientErr, err error) {
	current, superseded, err := findRefresh(ctx, s, old)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return invalidJWT(), nil
	case err != nil:
		return nil, err
	case superseded.Valid && now.Before(superseded.Time.Add(j.grace)):
		return framework.Refuse(http.StatusUnauthorized, CodeRefreshSuperseded,
			"The refresh token was replaced a moment ago; use the tokens that replaced it."), nil
	}
	reason := invalidJWT()
	// rotate rejects the current token only if the user is inactive or the login is too old.
	if e, ok := errors.AsType[*framework.Error](reason); ok && current != old.ID {
		reason = e.Because(ErrRefreshReused)
	}
	return reason, endFamily(ctx, s, old.Family)
}

// findRefresh reads the login of a refresh token: the id of the current token, and when this
// token was replaced, if that is stored. If the login has ended, it returns sql.ErrNoRows.
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
		return current, superseded, noRowError(rows.Err())
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
