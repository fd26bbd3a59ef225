package accounts

import (
	"log/slog"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// A GroupView is a group for administrators.
type GroupView struct {
	ID          uuid.UUID                  `json:"id"`
	Name        string                     `json:"name"`
	Permissions []framework.PermissionName `json:"permissions" doc:"The permissions that each member holds." from:"permissions.permission,order=permission"`
	Members     int64                      `json:"members"     doc:"How many users are members." from:"count(members)"`
}

// A GroupInput is a group.
type GroupInput struct {
	Name        string                     `json:"name"        validate:"required,line,max=200" doc:"The name, which no other group has." example:"nurses"`
	Permissions []framework.PermissionName `json:"permissions" validate:"max=500" doc:"The permissions that each member holds: the whole list."`
}

// groupSet returns the viewset accounts/groups.
func (a administration) groupSet() framework.ViewSet[group] {
	return framework.ViewSet[group]{
		Name: "groups", Under: under,
		Doc: "Groups of users, with the permissions of their members. A caller changes only groups all of whose permissions the caller holds.",
		Verbs: framework.Verbs{
			List: framework.Shows[GroupView](), Retrieve: framework.Shows[GroupView](),
			Create: framework.FillsThen[GroupView](checkGroup, a.setPermissions("group_created")).
				Doc("Make a group. The caller gives only permissions that the caller holds."),
			Patch: framework.FillsThen[GroupView](checkGroup, a.setPermissions("group_changed")).
				Doc("Change a group and its permissions. The caller gives only permissions that the caller holds."),
			Delete: framework.Changes(a.deleteGroup).Doc("Delete a group. Its members lose its permissions at once."),
		},
		Scope:      framework.Public(),
		Writers:    framework.Where(weakerGroups),
		Permission: framework.HoldsModel("groups"),
		Search:     framework.Search{Fields: []string{"name"}},
		Ordering:   framework.Ordering{Allowed: []string{"name"}, Default: "name"},
		Relations:  framework.Relations{"permissions": framework.OfRow, "members": framework.OfRow},
		Models:     []any{(*groupPermission)(nil), (*membership)(nil)},
		History:    framework.History{Permission: framework.Holds("groups.view")},
		Unindexed:  []string{"name"}, // there are few groups
	}
}

func checkGroup(_ *framework.Call, _ *group, in GroupInput) error { return checkNames(in.Permissions) }

// setPermissions returns a function that gives a stored group the permissions of the input.
func (a administration) setPermissions(event string) func(*framework.Call, *group, GroupInput) error {
	return func(c *framework.Call, g *group, in GroupInput) error {
		about := slog.String("group", g.ID.String())
		record(c, a.service, event, uuid.Nil, about)
		if !c.Has("permissions") {
			return nil
		}
		var now []groupPermission
		if err := c.DB.NewSelect().Model(&now).Where("group_id = ?", g.ID).Scan(c); err != nil {
			return err
		}
		held := make([]framework.PermissionName, len(now))
		for i, one := range now {
			held[i] = one.Permission
		}
		users := a.service.Users
		return a.exchange(c, held, in.Permissions, change{
			give:  func(names []string) error { return users.GrantGroup(c, c.Session(), g.ID, names...) },
			take:  func(names []string) error { _, err := users.RevokeGroup(c, c.Session(), g.ID, names...); return err },
			about: about,
		})
	}
}

func (a administration) deleteGroup(c *framework.Call, g *group, _ framework.None) (framework.None, error) {
	err := framework.Remove(c, g)
	record(c, a.service, "group_deleted", uuid.Nil, slog.String("group", g.ID.String()))
	return framework.None{}, err
}
