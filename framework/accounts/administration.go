package accounts

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// Administration returns the viewsets accounts/users, accounts/groups, accounts/users/{}/tokens and
// accounts/users/{}/sessions, and the endpoints accounts/permissions and accounts/access. api is the
// one that they are registered with. Add [Codes] to framework.Config.
func Administration(api *framework.API, s *auth.Service) framework.Service {
	a := administration{api, s}
	return framework.Service{
		Name: "Accounts", Doc: "Who may sign in, and what each user may do.",
		Resources: []framework.Resource{
			a.groupSet(), a.userSet(),
			ofUsers(tokenSet(s, "User"), "The tokens of a user. Deleting one revokes it."),
			ofUsers(sessionSet(s, "User"), "The browsers on which a user is signed in. Deleting one signs it out. One that ended by itself is listed for up to an hour."),
			a.overview(),
		},
	}
}

// overview returns the endpoints about the whole API.
func (a administration) overview() framework.ViewSet[group] {
	return framework.ViewSet[group]{
		Name: under, Doc: "What permissions there are, and what callers may do.",
		Scope: framework.Public(), Permission: superusers{},
		Collection: []framework.CollectionAction{
			framework.OnCollection(http.MethodGet, "permissions", a.permissions).
				Permit(framework.Any(framework.Holds("users.view"), framework.Holds("groups.view"))).ID("listPermissions").
				Doc("List the permissions that the API knows: those that its endpoints, scopes, fields and guards check."),
			framework.OnCollection(http.MethodGet, "access", a.access).ID("getAccess").
				Doc("Show which endpoints a visitor, a user, staff and a superuser may use, by their kind alone."),
		},
	}
}

// A PermissionView is a permission that the API knows.
type PermissionView struct {
	Name string `json:"name" example:"patients.view"`
	Held bool   `json:"held" doc:"Whether the caller holds it, and so may give it."`
}

// A PermissionsView is all permissions that the API knows.
type PermissionsView struct {
	Permissions []PermissionView `json:"permissions"`
}

func (a administration) permissions(c *framework.Call, _ framework.None) (view PermissionsView, err error) {
	for _, name := range a.api.Permissions() {
		view.Permissions = append(view.Permissions, PermissionView{name, c.Caller.Holds(name)})
	}
	return view, nil
}

// An EndpointView is an endpoint with the access of each kind of caller, as [framework.Access] has it.
type EndpointView struct {
	Method     string `json:"method"`
	Path       string `json:"path"`
	Permission string `json:"permission"`
	Rows       string `json:"rows"      doc:"The scope of the rows."`
	Visitor    string `json:"visitor"`
	User       string `json:"user"      doc:"A user without permissions."`
	Staff      string `json:"staff"     doc:"Staff without permissions."`
	Superuser  string `json:"superuser"`
}

// An AccessView is the access to all endpoints.
type AccessView struct {
	Endpoints []EndpointView `json:"endpoints"`
}

func (a administration) access(*framework.Call, framework.None) (view AccessView, err error) {
	visitor, user, staff, superuser := (*framework.Caller)(nil), a.api.InventCaller(), a.api.InventCaller(), a.api.InventCaller()
	staff.Staff, superuser.Staff, superuser.Superuser = true, true, true
	for _, e := range a.api.Access(visitor, user, staff, superuser) {
		view.Endpoints = append(view.Endpoints, EndpointView{
			Method: e.Method, Path: e.Path, Permission: e.Permission, Rows: e.Scope,
			Visitor: string(e.Access[0]), User: string(e.Access[1]), Staff: string(e.Access[2]), Superuser: string(e.Access[3]),
		})
	}
	return view, nil
}

// A UserEndpointView is an endpoint with what a user may do there.
type UserEndpointView struct {
	Method     string `json:"method"`
	Path       string `json:"path"`
	Access     string `json:"access"    doc:"Whether the user may use it: scoped is only for the rows of the scope."`
	Permission string `json:"permission"`
	Rows       string `json:"rows"      doc:"The scope of the rows."`
}

// A UserAccessView is the access of a user to all endpoints.
type UserAccessView struct {
	Endpoints []UserEndpointView `json:"endpoints"`
}

// accessOf returns the access of a user. An inactive user has that of a visitor.
func (a administration) accessOf(c *framework.Call, u *user, _ framework.None) (view UserAccessView, err error) {
	caller, err := a.service.Users.Caller(c, c.Session(), u.ID, "inspection")
	if err != nil && !errors.Is(err, auth.ErrNotFound) {
		return view, err
	}
	for _, e := range a.api.Access(caller) {
		view.Endpoints = append(view.Endpoints, UserEndpointView{
			Method: e.Method, Path: e.Path, Access: string(e.Access[0]), Permission: e.Permission, Rows: e.Scope,
		})
	}
	return view, nil
}

// lockWeaker locks a user until the end of the transaction. If the caller does not hold all rights of
// the user any more, the error is [framework.NotYours].
func lockWeaker(c *framework.Call, id uuid.UUID) error {
	q := c.DB.NewUpdate().Model((*user)(nil)).Set("is_active = is_active").Where("id = ?", id)
	weakerUsers(c, q.QueryBuilder())
	result, err := q.Exec(c)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return framework.NotYours()
}
