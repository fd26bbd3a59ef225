package auth

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
)

// ListUsers returns up to limit users in the order of creation, beginning after the user
// with the id after, or with the first user if after is [uuid.Nil]. For the next page
// pass the id of the last user. A page with fewer users is the last. A limit below 1
// counts as 1.
func (u *Users) ListUsers(ctx context.Context, s *sqldb.Session, after uuid.UUID, limit int) ([]User, error) {
	users := []User{}
	err := scanAll(ctx, s, s.IDB().NewSelect().Model(&users).
		Where("u.id > ?", after).Order("u.id").Limit(int64(max(limit, 1))), &users) // a UUIDv7 begins with the time
	return users, err
}

// PermissionsOf returns the permissions that a user holds, directly and through groups,
// each once and in order. A superuser also holds every other permission. If the user does
// not exist, the error is [ErrNotFound].
func (u *Users) PermissionsOf(ctx context.Context, s *sqldb.Session, userID uuid.UUID) ([]string, error) {
	rows, err := s.Query(ctx, s.IDB().NewSelect().
		TableExpr("auth_users AS u").ColumnExpr("(?)", permissionsOf(s.DB().Kind())).Where("u.id = ?", userID))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return nil, orMissing(noRowError(rows.Err()), userNotFound(userID))
	}
	var joined sql.NullString
	err = errors.Join(rows.Scan(&joined), rows.Err())
	return splitSorted(joined), err
}

// A GroupListing is a group in a list.
type GroupListing struct {
	Group

	Permissions []string // in order
	Members     int64
}

// ListGroups returns every group, in the order of their names.
func (u *Users) ListGroups(ctx context.Context, s *sqldb.Session) ([]GroupListing, error) {
	members := s.IDB().NewSelect().TableExpr("auth_user_groups AS m").ColumnExpr("count(*)").Where("m.group_id = g.id")
	held := s.IDB().NewSelect().TableExpr("auth_group_permissions AS gp").
		ColumnExpr(s.DB().Kind().GroupConcat("gp.permission", " ")).Where("gp.group_id = g.id")
	rows, err := s.Query(ctx, s.IDB().NewSelect().TableExpr("auth_groups AS g").
		ColumnExpr("g.id, g.name, (?), (?)", members, held).Order("g.name"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	groups := []GroupListing{}
	for rows.Next() {
		var g GroupListing
		var joined sql.NullString
		if err := rows.Scan(&g.ID, &g.Name, &g.Members, &joined); err != nil {
			return nil, err
		}
		g.Permissions = splitSorted(joined)
		groups = append(groups, g)
	}
	return groups, rows.Err()
}

// splitSorted splits a text at spaces and sorts the words.
func splitSorted(joined sql.NullString) []string {
	words := strings.Fields(joined.String)
	slices.Sort(words)
	return words
}
