package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
)

// identityRights are the rights that the provider of an identity gave at its last sign-in. The
// row of the identity records them, so that the next sign-in removes what the provider no longer
// gives, and nothing that an operator gave.
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
	now := identityRights{Permissions: distinct(id.Permissions)}
	if now.Groups, unknown, err = u.joinGroups(ctx, s, user, distinct(id.Groups)); err != nil {
		return unknown, err
	}
	if err := u.Grant(ctx, s, user, now.Permissions...); err != nil {
		return unknown, err
	}
	if err := u.leaveGroups(ctx, s, user, without(before.Groups, now.Groups)); err != nil {
		return unknown, err
	}
	if _, err := u.Revoke(ctx, s, user, without(before.Permissions, now.Permissions)...); err != nil {
		return unknown, err
	}
	return unknown, u.recordRights(ctx, s, id, now)
}

// joinGroups makes a user a member of groups. It returns the names of the groups that
// exist, and the names without a group.
func (u *Users) joinGroups(ctx context.Context, s *sqldb.Session, user uuid.UUID, names []string) (joined, unknown []string, err error) {
	for _, name := range names {
		group, err := u.FindGroup(ctx, s, name)
		switch {
		case errors.Is(err, ErrNotFound):
			unknown = append(unknown, name)
			continue
		case err == nil:
			err = u.Join(ctx, s, user, group.ID)
		}
		if err != nil {
			return nil, nil, err
		}
		joined = append(joined, name)
	}
	return joined, unknown, nil
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
