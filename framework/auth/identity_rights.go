package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// identityRights are the rights that the provider of an identity gave at its last sign-in. The
// row of the identity records them, so that the next sign-in removes what the provider no longer
// gives. It does not record a right that the user had by other means already: what an operator
// gave stays.
type identityRights struct {
	Groups      []string `json:"groups,omitempty"`
	Permissions []string `json:"permissions,omitempty"`
}

// renewRights gives a user the rights of an identity, and removes those of its last sign-in that it
// no longer has. It returns the names of groups that do not exist; they give nothing.
func (u *Users) renewRights(ctx context.Context, s *sqldb.Session, user uuid.UUID, id Identity) (unknown []string, err error) {
	row, err := findIdentity(ctx, s, id)
	if err != nil {
		return nil, err
	}
	var before identityRights
	if err := json.Unmarshal([]byte(row.Granted), &before); err != nil {
		return nil, fmt.Errorf("reading the rights of an identity of user %s: %w", user, err)
	}
	groups, permissions := distinct(id.Groups), distinct(id.Permissions)
	joined, unknown, err := u.joinGroups(ctx, s, user, groups)
	if err != nil {
		return unknown, err
	}
	added, err := u.grantNew(ctx, s, user, permissions)
	if err != nil {
		return unknown, err
	}
	if err := u.leaveGroups(ctx, s, user, without(before.Groups, groups)); err != nil {
		return unknown, err
	}
	if _, err := u.Revoke(ctx, s, user, without(before.Permissions, permissions)...); err != nil {
		return unknown, err
	}
	return unknown, u.recordRights(ctx, s, id, identityRights{
		Groups: given(before.Groups, groups, joined), Permissions: given(before.Permissions, permissions, added),
	})
}

// given returns the rights to record: those of the last sign-in that the provider still gives,
// and those that it added.
func given(before, now, added []string) []string {
	kept := slices.DeleteFunc(slices.Clone(now), func(name string) bool { return !slices.Contains(before, name) })
	return distinct(append(kept, added...))
}

// joinGroups makes a user a member of groups. It returns the names of the groups that the user
// was no member of, and the names without a group.
func (u *Users) joinGroups(ctx context.Context, s *sqldb.Session, user uuid.UUID, names []string) (joined, unknown []string, err error) {
	for _, name := range names {
		group, err := u.FindGroup(ctx, s, name)
		if errors.Is(err, ErrNotFound) {
			unknown = append(unknown, name)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		added, err := u.join(ctx, s, user, group.ID)
		if err != nil {
			return nil, nil, err
		}
		if added {
			joined = append(joined, name)
		}
	}
	return joined, unknown, nil
}

// grantNew gives a user permissions, and returns those that they did not hold themselves.
func (u *Users) grantNew(ctx context.Context, s *sqldb.Session, user uuid.UUID, permissions []string) (added []string, err error) {
	if len(permissions) == 0 {
		return nil, nil
	}
	rows, err := s.Read(ctx, s.IDB().NewSelect().Model((*userPermission)(nil)).Column("permission").
		Where("user_id = ?", user).Where("permission IN (?)", bun.List(permissions)))
	if err != nil {
		return nil, err
	}
	held := make([]string, rows.Len())
	for i := range held {
		if err := rows.Scan(i, &held[i]); err != nil {
			return nil, err
		}
	}
	return without(permissions, held), u.Grant(ctx, s, user, permissions...)
}

// leaveGroups ends memberships. A group that was deleted meanwhile is no error.
func (u *Users) leaveGroups(ctx context.Context, s *sqldb.Session, user uuid.UUID, names []string) error {
	for _, name := range names {
		group, err := u.FindGroup(ctx, s, name)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err == nil {
			err = u.Leave(ctx, s, user, group.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *Users) recordRights(ctx context.Context, s *sqldb.Session, id Identity, now identityRights) error {
	granted, err := json.Marshal(now)
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, s.IDB().NewUpdate().Table("auth_identities").
		Set("granted = ?", string(granted)).Set("signed_in_at = ?", u.now()).
		Where("issuer = ?", id.Issuer).Where("subject = ?", id.Subject))
	return err
}

// distinct returns the names in order, each once.
func distinct(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// without returns the names that are not in others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}
