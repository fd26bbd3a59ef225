package accounts

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// The codes of errors, which [Codes] explains.
const (
	CodeRightNotHeld  = "right_not_held" // of a fault
	CodeOwnAccount    = "own_account"    // 409
	CodeLastSuperuser = "last_superuser" // 409
)

// Codes explain the errors of the administration, for framework.Config.
func Codes() []framework.CodeInfo {
	return []framework.CodeInfo{
		{
			Code: CodeRightNotHeld, Text: "The caller does not hold this right and so cannot give it: a permission, a group with its permissions, staff or superuser.",
		},
		{
			Code: CodeOwnAccount, Status: http.StatusConflict, Title: "This is the own account",
			Text: "Callers do not disable, demote or delete themselves here. They change their own password and e-mail address by POST {prefix}/auth/password " +
				"and POST {prefix}/auth/email, which want the current password.",
		},
		{
			Code: CodeLastSuperuser, Status: http.StatusConflict, Title: "The last superuser",
			Text: "One active superuser must remain. Make another one first.",
		},
		{Code: "permission", Text: "It is not the name of a permission: a resource and a right, as in patients.view."},
	}
}

var (
	viewUsers   = framework.Holds("users.view")   //nolint:gochecknoglobals // it never changes
	changeUsers = framework.Holds("users.change") //nolint:gochecknoglobals // it never changes
)

// superusers permits superusers alone.
type superusers struct{}

func (superusers) Permit(c *framework.Call) bool { return !c.Caller.Anonymous() && c.Caller.Superuser }

func (superusers) String() string { return "superuser" }

// weakerUsers are the users whose rights the caller holds: signing in as such a user gives the caller
// no right.
func weakerUsers(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	if c.Caller.Superuser {
		return q
	}
	q = q.Where("NOT ?TableAlias.is_superuser")
	if !c.Caller.Staff {
		q = q.Where("NOT ?TableAlias.is_staff")
	}
	held := bun.List(heldBy(c.Caller))
	return q.Where("NOT EXISTS (SELECT 1 FROM auth_user_permissions AS own WHERE own.user_id = ?TableAlias.id AND own.permission NOT IN (?))", held).
		Where("NOT EXISTS (SELECT 1 FROM auth_user_groups AS member JOIN auth_group_permissions AS given ON given.group_id = member.group_id "+
			"WHERE member.user_id = ?TableAlias.id AND given.permission NOT IN (?))", held)
}

// weakerGroups are the groups whose permissions the caller holds.
func weakerGroups(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	if c.Caller.Superuser {
		return q
	}
	return q.Where("NOT EXISTS (SELECT 1 FROM auth_group_permissions AS given WHERE given.group_id = ?TableAlias.id AND given.permission NOT IN (?))",
		bun.List(heldBy(c.Caller)))
}

// heldBy lists the permissions of a caller who is no superuser. It is never empty, because an empty
// list is no SQL; no permission has an empty name.
func heldBy(caller *framework.Caller) []string {
	held := []string{""}
	for name, holds := range maps.All(caller.Permissions) {
		if holds {
			held = append(held, name)
		}
	}
	slices.Sort(held)
	return held
}

// checkNames returns the faults of malformed names of permissions.
func checkNames(names []framework.PermissionName) error {
	var faults []framework.Fault
	for i, name := range names {
		if !framework.IsPermissionName(string(name)) {
			faults = append(faults, framework.Fault{
				Pointer: "/permissions/" + strconv.Itoa(i), Code: "permission", Detail: "must be a resource and a right, as in patients.view",
			})
		}
	}
	return invalid(faults)
}

// mayGive returns a fault for each of the added permissions that the caller does not hold. wanted is the list of the body.
func mayGive(c *framework.Call, wanted, added []framework.PermissionName) error {
	var faults []framework.Fault
	for i, name := range wanted {
		if slices.Contains(added, name) && !c.Caller.Holds(string(name)) {
			faults = append(faults, notHeld("/permissions/"+strconv.Itoa(i), "is a permission that you do not hold and so cannot give"))
		}
	}
	return invalid(faults)
}

// mayJoin returns a fault for each of the added groups that has a permission which the caller does not hold. wanted is the list
// of the body.
func mayJoin(c *framework.Call, wanted, added []uuid.UUID) error {
	if c.Caller.Superuser || len(added) == 0 {
		return nil
	}
	var given []groupPermission
	if err := c.DB.NewSelect().Model(&given).Where("group_id IN (?)", bun.List(added)).Scan(c); err != nil {
		return err
	}
	var faults []framework.Fault
	for i, id := range wanted {
		beyond := func(one groupPermission) bool { return one.GroupID == id && !c.Caller.Holds(string(one.Permission)) }
		if slices.ContainsFunc(given, beyond) {
			faults = append(faults, notHeld("/groups/"+strconv.Itoa(i), "is a group with a permission that you do not hold and so cannot give"))
		}
	}
	return invalid(faults)
}

// mayMake returns an error if the caller may not make a user staff or a superuser.
func mayMake(c *framework.Call, staff, superuser bool) error {
	var faults []framework.Fault
	if staff && !c.Caller.Staff && !c.Caller.Superuser {
		faults = append(faults, notHeld("/isStaff", "is for staff and superusers to give"))
	}
	if superuser && !c.Caller.Superuser {
		faults = append(faults, notHeld("/isSuperuser", "is for superusers to give"))
	}
	return invalid(faults)
}

func notHeld(pointer, detail string) framework.Fault {
	return framework.Fault{Pointer: pointer, Code: CodeRightNotHeld, Detail: detail}
}

// invalid returns the error of faults, nil without any.
func invalid(faults []framework.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return framework.Invalid(faults...)
}

// isOwn reports whether a user is the caller.
func isOwn(c *framework.Call, id uuid.UUID) bool { return c.Caller.IDText() == id.String() }

// keepSuperuser returns an error if no other active superuser remains. It locks the other ones, so
// that two requests at the same time do not remove the last two.
func keepSuperuser(c *framework.Call, id uuid.UUID) error {
	result, err := c.DB.NewUpdate().Table("auth_users").Set("is_active = is_active").
		Where("is_superuser").Where("is_active").Where("id <> ?", id).Exec(c)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return framework.Conflict(CodeLastSuperuser, "This is the last active superuser; make another one first.")
}
