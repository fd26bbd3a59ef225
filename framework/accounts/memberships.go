package accounts

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// rights are the groups and the permissions that a user is to have.
type rights struct {
	groups      []uuid.UUID
	permissions []framework.PermissionName

	keepGroups, keepPermissions bool
}

// setRights gives a user the groups and permissions of a list, and takes others away. The caller
// must hold what is added.
func (a administration) setRights(c *framework.Call, id uuid.UUID, wanted rights) error {
	if !wanted.keepGroups {
		if err := a.setGroups(c, id, wanted.groups); err != nil {
			return err
		}
	}
	if wanted.keepPermissions {
		return nil
	}
	var now []userPermission
	if err := c.DB.NewSelect().Model(&now).Where("user_id = ?", id).Scan(c); err != nil {
		return err
	}
	held := make([]framework.PermissionName, len(now))
	for i, one := range now {
		held[i] = one.Permission
	}
	users, of := a.service.Users, slog.String("to", "user")
	return a.exchange(c, held, wanted.permissions, change{
		give: func(names []string) error { return users.Grant(c, c.Session(), id, names...) },
		take: func(names []string) error { _, err := users.Revoke(c, c.Session(), id, names...); return err },
		user: id, about: of,
	})
}

// A change gives permissions to a user or a group, and takes permissions away.
type change struct {
	give, take func(names []string) error
	user       uuid.UUID // uuid.Nil for a group
	about      slog.Attr // the group
}

// exchange replaces the permissions that are held by those that are wanted.
func (a administration) exchange(c *framework.Call, held, wanted []framework.PermissionName, by change) error {
	added, removed := without(wanted, held), without(held, wanted)
	if err := mayGive(c, wanted, added); err != nil {
		return err
	}
	if len(added) > 0 {
		if err := by.give(texts(added)); err != nil {
			return err
		}
		record(c, a.service, "permission_granted", by.user, by.about, slog.Any("permissions", added))
	}
	if len(removed) == 0 {
		return nil
	}
	record(c, a.service, "permission_revoked", by.user, by.about, slog.Any("permissions", removed))
	return by.take(texts(removed))
}

// setGroups makes a user a member of the groups of a list, and of no others.
func (a administration) setGroups(c *framework.Call, id uuid.UUID, wanted []uuid.UUID) error {
	var now []membership
	if err := c.DB.NewSelect().Model(&now).Where("user_id = ?", id).Scan(c); err != nil {
		return err
	}
	held := make([]uuid.UUID, len(now))
	for i, one := range now {
		held[i] = one.GroupID
	}
	added := without(wanted, held)
	if err := mayJoin(c, wanted, added); err != nil {
		return err
	}
	for _, group := range added {
		if err := a.service.Users.Join(c, c.Session(), id, group); err != nil {
			return fmt.Errorf("adding the user to a group: %w", err)
		}
		record(c, a.service, "group_joined", id, slog.String("group", group.String()))
	}
	for _, group := range without(held, wanted) {
		if err := a.service.Users.Leave(c, c.Session(), id, group); err != nil {
			return err
		}
		record(c, a.service, "group_left", id, slog.String("group", group.String()))
	}
	return nil
}

// texts returns names as package auth takes them.
func texts(names []framework.PermissionName) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return all
}

// without returns the elements of a list that are not in another one, each once and in order.
func without[T comparable](all, others []T) (rest []T) {
	for _, one := range all {
		if !slices.Contains(others, one) && !slices.Contains(rest, one) {
			rest = append(rest, one)
		}
	}
	return rest
}

// report writes the audit log about a change, and sends the mail of a new address to the old one.
func (a administration) report(c *framework.Call, before, now auth.User) {
	if before.IsActive != now.IsActive {
		record(c, a.service, map[bool]string{true: "user_enabled", false: "user_disabled"}[now.IsActive], now.ID)
	}
	if before.IsStaff != now.IsStaff || before.IsSuperuser != now.IsSuperuser {
		record(c, a.service, "user_rights_changed", now.ID, flags(now)...)
	}
	if before.Name != now.Name || before.Username != now.Username {
		record(c, a.service, "account_changed", now.ID)
	}
	if before.Email == now.Email {
		return
	}
	record(c, a.service, "email_changed", now.ID)
	c.AfterCommit(func(c *framework.Call) error {
		a.service.Notify(c, auth.Notice{Kind: auth.NoticeEmailChanged, User: before, To: before.Email})
		return nil
	})
}

// flags are what a user is, for the audit log.
func flags(u auth.User) []slog.Attr {
	return []slog.Attr{slog.Bool("staff", u.IsStaff), slog.Bool("superuser", u.IsSuperuser)}
}
