package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Group is a set of permissions that its members hold.
type Group struct {
	bun.BaseModel `bun:"table:auth_groups,alias:g"`

	ID   uuid.UUID `bun:"id,pk"`
	Name string    // unique, as written
}

// CheckPermission returns an [InputError] if name is not the name of a permission, see
// [framework.IsPermissionName].
func CheckPermission(name string) error {
	if framework.IsPermissionName(name) {
		return nil
	}
	return invalid("permission", "permission",
		fmt.Sprintf("%q is not a permission; it must be a resource and a right, as in patients.view.", name))
}

// checkPermissions returns the error of the first malformed name.
func checkPermissions(names []string) error {
	for _, name := range names {
		if err := CheckPermission(name); err != nil {
			return err
		}
	}
	return nil
}

// Grant gives a user permissions such as "patients.view". Permissions that the user
// already holds do not change. A malformed name is an [InputError], and no permission is
// given. If the user does not exist, the error is [ErrNotFound]. Without permissions Grant
// does nothing and returns nil.
func (u *Users) Grant(ctx context.Context, s *sqldb.Session, userID uuid.UUID, permissions ...string) error {
	row := func(p string) userPermission { return userPermission{UserID: userID, Permission: p} }
	return grant(ctx, s, permissions, row, userNotFound(userID))
}

// Revoke removes permissions from a user and returns the removed ones, in order. A
// permission that the user holds through a group stays; remove the user from the group
// instead. A permission that the user does not hold is not an error, and neither is a
// missing user.
func (u *Users) Revoke(ctx context.Context, s *sqldb.Session, userID uuid.UUID, permissions ...string) (removed []string, err error) {
	return revoke[userPermission](ctx, s, "user_id", userID, permissions)
}

// CreateGroup adds a group that holds permissions. A name that is empty, malformed or
// already used, and a malformed permission, are an [InputError]; then the returned Group must
// not be used. On the pool no group is added after an error. After a name that is already used,
// and after an error of the database, a transaction of the caller must be rolled back.
func (u *Users) CreateGroup(ctx context.Context, s *sqldb.Session, name string, permissions ...string) (Group, error) {
	name, err := normalizeName(name)
	if err == nil && name == "" {
		err = invalid("name", "required", "A group needs a name.")
	}
	if err == nil {
		err = checkPermissions(permissions)
	}
	if err != nil {
		return Group{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Group{}, err
	}
	group := Group{ID: id, Name: name}
	err = within(ctx, s, func(ctx context.Context, s *sqldb.Session) error {
		_, err := s.Exec(ctx, s.IDB().NewInsert().Model(&group))
		if isFault(err, sqldb.Unique) {
			return invalid("name", "unique", fmt.Sprintf("A group with the name %s exists already.", name))
		}
		if err != nil {
			return err
		}
		return u.GrantGroup(ctx, s, id, permissions...)
	})
	return group, err
}

// FindGroup returns the group with a name. If there is none, the error is [ErrNotFound].
func (u *Users) FindGroup(ctx context.Context, s *sqldb.Session, name string) (Group, error) {
	var group Group
	err := scanOne(ctx, s, s.IDB().NewSelect().Model(&group).Where("g.name = ?", name), &group)
	return group, orMissing(err, fmt.Errorf("no group has the name %s: %w", name, ErrNotFound))
}

// GrantGroup gives permissions to all members of a group. A malformed name is an
// [InputError], and no permission is given. If the group does not exist, the error is
// [ErrNotFound]. Without permissions GrantGroup does nothing and returns nil.
func (u *Users) GrantGroup(ctx context.Context, s *sqldb.Session, groupID uuid.UUID, permissions ...string) error {
	row := func(p string) groupPermission { return groupPermission{GroupID: groupID, Permission: p} }
	return grant(ctx, s, permissions, row, groupNotFound(groupID))
}

// RevokeGroup removes permissions from a group and returns the removed ones, in order. A
// permission that the group does not hold is not an error, and neither is a missing group.
func (u *Users) RevokeGroup(ctx context.Context, s *sqldb.Session, groupID uuid.UUID, permissions ...string) (removed []string, err error) {
	return revoke[groupPermission](ctx, s, "group_id", groupID, permissions)
}

// Join makes a user a member of a group. If the user is already a member, Join does
// nothing. A missing user or group is [ErrNotFound].
func (u *Users) Join(ctx context.Context, s *sqldb.Session, userID, groupID uuid.UUID) error {
	_, err := u.join(ctx, s, userID, groupID)
	return err
}

// join is Join. It reports whether the user was no member.
func (u *Users) join(ctx context.Context, s *sqldb.Session, userID, groupID uuid.UUID) (added bool, err error) {
	n, err := countChanged(ctx, s, s.IDB().NewInsert().Model(&membership{UserID: userID, GroupID: groupID}).On("CONFLICT DO NOTHING"))
	if isFault(err, sqldb.ForeignKey) {
		err = fmt.Errorf("no user %s or no group %s: %w", userID, groupID, ErrNotFound)
	}
	return n > 0, err
}

// Leave ends the membership of a user in a group. If the user is not a member, Leave does
// nothing.
func (u *Users) Leave(ctx context.Context, s *sqldb.Session, userID, groupID uuid.UUID) error {
	_, err := s.Exec(ctx, s.IDB().NewDelete().Table("auth_user_groups").
		Where("user_id = ?", userID).Where("group_id = ?", groupID))
	return err
}

type membership struct {
	bun.BaseModel `bun:"table:auth_user_groups"`

	UserID, GroupID uuid.UUID
}

type userPermission struct {
	bun.BaseModel `bun:"table:auth_user_permissions"`

	UserID     uuid.UUID
	Permission string
}

type groupPermission struct {
	bun.BaseModel `bun:"table:auth_group_permissions"`

	GroupID    uuid.UUID
	Permission string
}

// grant inserts one row for each permission, unless the row exists. A malformed name is an
// [InputError], before any row is inserted. missing is the error if the holder does not exist.
// Without permissions grant returns nil and does not check the holder.
func grant[R any](ctx context.Context, s *sqldb.Session, permissions []string, row func(string) R, missing error) error {
	if err := checkPermissions(permissions); err != nil || len(permissions) == 0 {
		return err
	}
	rows := make([]R, len(permissions))
	for i, p := range permissions {
		rows[i] = row(p)
	}
	_, err := s.Exec(ctx, s.IDB().NewInsert().Model(&rows).On("CONFLICT DO NOTHING"))
	if isFault(err, sqldb.ForeignKey) {
		return missing
	}
	return err
}

// revoke deletes rows of one holder and returns the deleted permissions in order, or nil
// without permissions. holder is a column name, a constant of this package.
func revoke[R any](ctx context.Context, s *sqldb.Session, holder string, id uuid.UUID, permissions []string) ([]string, error) {
	if len(permissions) == 0 {
		return nil, nil
	}
	rows, err := s.Read(ctx, s.IDB().NewDelete().Model((*R)(nil)).
		Where("? = ?", bun.Ident(holder), id).
		Where("permission IN (?)", bun.List(permissions)).
		Returning("permission"))
	if err != nil {
		return nil, err
	}
	removed := make([]string, rows.Len())
	for i := range removed {
		if err := rows.Scan(i, &removed[i]); err != nil {
			return nil, err
		}
	}
	slices.Sort(removed)
	return removed, nil
}

func groupNotFound(id uuid.UUID) error {
	return fmt.Errorf("no group has the id %s: %w", id, ErrNotFound)
}
