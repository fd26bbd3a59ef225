package accounts

import (
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/filter"
)

// under is the path below which the administration is, and usersPath its viewset of users.
const (
	under     = "accounts"
	usersPath = under + "/users"
)

// A UserRow is a user in a list.
type UserRow struct {
	ID          uuid.UUID `json:"id"`
	Email       string    `json:"email"`
	Username    string    `json:"username"     doc:"The user name; empty without one."`
	Name        string    `json:"name"`
	IsActive    bool      `json:"isActive"    doc:"Whether the user can sign in."`
	IsStaff     bool      `json:"isStaff"     doc:"Whether the user may use what is for staff."`
	IsSuperuser bool      `json:"isSuperuser" doc:"Whether the user holds every permission."`
	CreatedAt   time.Time `json:"createdAt"`
}

// A UserView is a user for administrators.
type UserView struct {
	ID              uuid.UUID                  `json:"id"`
	Email           string                     `json:"email"`
	Username        string                     `json:"username"          doc:"The user name; empty without one."`
	Name            string                     `json:"name"`
	IsActive        bool                       `json:"isActive"         doc:"Whether the user can sign in."`
	IsStaff         bool                       `json:"isStaff"          doc:"Whether the user may use what is for staff."`
	IsSuperuser     bool                       `json:"isSuperuser"      doc:"Whether the user holds every permission."`
	Groups          []uuid.UUID                `json:"groups"            doc:"The groups of the user." from:"memberships.group_id,order=group_id"`
	Permissions     []framework.PermissionName `json:"permissions"       doc:"The permissions that the user holds beside those of the groups." from:"permissions.permission,order=permission"`
	EmailVerifiedAt *time.Time                 `json:"emailVerifiedAt" doc:"When the user proved to read the mail of the address; null if that is not known."`
	CreatedAt       time.Time                  `json:"createdAt"`
	UpdatedAt       time.Time                  `json:"updatedAt"`
}

// A UserInput is a new user.
type UserInput struct {
	Email       string                     `json:"email"        validate:"required,line,max=254" doc:"The user signs in by it." example:"a@example.com"`
	Username    string                     `json:"username"     validate:"line,max=150" doc:"The user name; empty for none." example:"asha"`
	Name        string                     `json:"name"         validate:"line,max=200" doc:"What to call the user." example:"Asha Rao"`
	Password    string                     `json:"password"     validate:"required,min=8,max=4096" trim:"-" doc:"Spaces count." example:"four unrelated words"`
	IsStaff     bool                       `json:"isStaff"     doc:"Whether the user may use what is for staff."`
	IsSuperuser bool                       `json:"isSuperuser" doc:"Whether the user holds every permission. Only superusers make superusers."`
	Groups      []uuid.UUID                `json:"groups"       ref:"accounts/groups" validate:"max=100,unique" doc:"The groups of the user."`
	Permissions []framework.PermissionName `json:"permissions"  validate:"max=500" doc:"Permissions beside those of the groups, such as patients.view."`
}

// A UserPatch is a change of a user. Absent fields stay.
type UserPatch struct {
	Email       string                     `json:"email"        validate:"required,line,max=254" doc:"A new one is not verified." example:"a@example.com"`
	Username    string                     `json:"username"     validate:"line,max=150" doc:"The user name; empty for none." example:"asha"`
	Name        string                     `json:"name"         validate:"line,max=200" doc:"What to call the user."`
	IsActive    bool                       `json:"isActive"    doc:"Without it, the user cannot sign in, and every token, session and JWT is rejected."`
	IsStaff     bool                       `json:"isStaff"     doc:"Whether the user may use what is for staff."`
	IsSuperuser bool                       `json:"isSuperuser" doc:"Whether the user holds every permission. Only superusers change it."`
	Groups      []uuid.UUID                `json:"groups"       ref:"accounts/groups" validate:"max=100,unique" doc:"All groups of the user."`
	Permissions []framework.PermissionName `json:"permissions"  validate:"max=500" doc:"All permissions beside those of the groups."`
}

// A PasswordInput is a new password of a user.
type PasswordInput struct {
	Password string `json:"password" validate:"required,min=8,max=4096" trim:"-" doc:"Spaces count." example:"four unrelated words"`
}

// administration has the functions of the viewsets.
type administration struct {
	api     *framework.API
	service *auth.Service
}

// userSet returns the viewset accounts/users.
func (a administration) userSet() framework.ViewSet[user] {
	return framework.ViewSet[user]{
		Name: "users", Under: under,
		Doc: "The users who may sign in. A caller changes only users all of whose rights the caller holds.",
		Verbs: framework.Verbs{
			List: framework.Shows[UserRow](), Retrieve: framework.Shows[UserView](),
			Create: framework.Does(a.addUser).Untransacted().Answers(http.StatusCreated).
				Refuses(auth.CodeEmailTaken, framework.CodeUnique).
				Doc("Make an active user. The caller gives only rights that the caller holds."),
			Patch: framework.Changes(a.changeUser).
				Refuses(CodeOwnAccount, CodeLastSuperuser, auth.CodeEmailTaken, framework.CodeUnique).
				Doc("Change a user, their groups and their permissions. The caller gives only rights that the caller holds. A new e-mail address is not verified."),
			Delete: framework.Changes(a.deleteUser).Refuses(CodeOwnAccount, CodeLastSuperuser, framework.CodeReferenced).
				Doc("Delete a user with all sign-ins. Rows of other viewsets that refer to the user may prevent that; then disable the user."),
		},
		Scope:      framework.Public(),
		Writers:    framework.Where(weakerUsers),
		Permission: framework.HoldsModel("users"),
		Search:     framework.Search{Fields: []string{"email", "username", "name"}},
		Filters: []framework.Filter{
			filter.Exact("isActive"), filter.Exact("isStaff"), filter.Exact("isSuperuser"), filter.Exact("group", "memberships.group_id"),
		},
		Ordering:  framework.Ordering{Allowed: []string{"email", "name", "createdAt"}},
		Relations: framework.Relations{"memberships": framework.OfRow, "permissions": framework.OfRow},
		Models:    []any{(*membership)(nil), (*userPermission)(nil)},
		Uniques:   []framework.Unique{{Fields: []string{"email"}, Code: auth.CodeEmailTaken, Detail: "A user with this e-mail exists already."}},
		History:   framework.History{Permission: viewUsers},
		Unindexed: []string{"email", "name", "createdAt", "username", "isActive", "isStaff", "isSuperuser"}, // an administrator waits for a sort
		Actions: []framework.Action[user]{
			framework.Post("password", a.setPassword).Untransacted().Permit(changeUsers).Refuses(CodeOwnAccount).ID("setUserPassword").
				Doc("Set a password. All sign-ins of the user end, and the user gets a mail if the service sends mails."),
			framework.Post("logout", a.signOut).Permit(changeUsers).ID("endUserSignIns").
				Doc("End all sign-ins. The tokens, sessions and JWT logins of the user end at once; the password stays."),
			framework.Get("access", a.accessOf).Permit(superusers{}).ID("getUserAccess").
				Doc("Show which endpoints the user may use."),
		},
	}
}

// addUser makes a user. It checks the rights before it hashes the password.
func (a administration) addUser(c *framework.Call, in UserInput) (view UserView, err error) {
	if err := checkNames(in.Permissions); err != nil {
		return view, err
	}
	if err := mayMake(c, in.IsStaff, in.IsSuperuser); err != nil {
		return view, err
	}
	row, hash, err := a.service.Users.PrepareUser(c, auth.NewUser{
		Email: in.Email, Username: in.Username, Name: in.Name, Password: in.Password, Staff: in.IsStaff, Superuser: in.IsSuperuser,
	})
	if err != nil {
		return view, auth.ClientError(err)
	}
	err = c.InTx(func(c *framework.Call) error {
		if err := framework.Insert(c, newUser(row, hash)); err != nil {
			return err
		}
		if err := a.setRights(c, row.ID, rights{groups: in.Groups, permissions: in.Permissions}); err != nil {
			return err
		}
		view, err = framework.FindOne[UserView](c, usersPath, row.ID)
		return err
	})
	if err == nil {
		record(c, a.service, "user_created", row.ID, flags(row)...)
		c.Header().Set("Location", c.URL("/"+c.Route.ViewSet+"/"+row.ID.String()+"/"))
	}
	return view, err
}

// changeUser changes a user whose rights the caller holds.
func (a administration) changeUser(c *framework.Call, u *user, in UserPatch) (view UserView, err error) {
	if err := a.mayChange(c, u, in); err != nil {
		return view, err
	}
	before := u.account()
	if err := a.store(c, u, in); err != nil {
		return view, auth.ClientError(err)
	}
	wanted := rights{groups: in.Groups, permissions: in.Permissions, keepGroups: !c.Has("groups"), keepPermissions: !c.Has("permissions")}
	if err := a.setRights(c, u.ID, wanted); err != nil {
		return view, err
	}
	a.report(c, before, u.account())
	return framework.FindOne[UserView](c, usersPath, u.ID)
}

// mayChange returns an error for a change that the caller may not make.
func (a administration) mayChange(c *framework.Call, u *user, in UserPatch) error {
	if err := checkNames(in.Permissions); err != nil {
		return err
	}
	if err := mayMake(c, in.IsStaff && !u.IsStaff, in.IsSuperuser && !u.IsSuperuser); err != nil {
		return err
	}
	if isOwn(c, u.ID) && (in.IsActive != u.IsActive || in.IsStaff != u.IsStaff || in.IsSuperuser != u.IsSuperuser || in.Email != u.Email) {
		return framework.Conflict(CodeOwnAccount, "You cannot disable or demote yourself here, nor change your own e-mail address.")
	}
	if u.IsSuperuser && u.IsActive && !(in.IsSuperuser && in.IsActive) {
		return keepSuperuser(c, u.ID)
	}
	return nil
}

// store stores the columns of a user that change, as package auth normalises them, so that the history
// has them. Then package auth ends what a new address and an inactive user end.
func (a administration) store(c *framework.Call, u *user, in UserPatch) error {
	before := *u
	if err := u.fill(in); err != nil {
		return err
	}
	if err := framework.Save(c, u); err != nil {
		return err
	}
	if u.Email != before.Email {
		if err := a.service.Users.SetEmail(c, c.Session(), u.ID, u.Email); err != nil {
			return err
		}
	}
	if u.IsActive == before.IsActive {
		return nil
	}
	return a.service.Users.SetActive(c, c.Session(), u.ID, u.IsActive)
}

// fill sets the columns of a user that differ from the input.
func (u *user) fill(in UserPatch) error {
	var email, username, name error
	if in.Email != u.Email {
		before := u.Email
		if u.Email, email = auth.NormalizeNewEmail(in.Email); u.Email != before {
			u.EmailVerifiedAt = nil
		}
	}
	switch {
	case in.Username == "":
		u.Username = ""
	case in.Username != u.Username:
		u.Username, username = auth.NormalizeUsername(in.Username)
	}
	if in.Name != u.Name {
		u.Name, name = auth.NormalizeName(in.Name)
	}
	u.IsActive, u.IsStaff, u.IsSuperuser = in.IsActive, in.IsStaff, in.IsSuperuser
	return auth.ClientError(email, username, name)
}

// deleteUser deletes a user whose rights the caller holds.
func (a administration) deleteUser(c *framework.Call, u *user, _ framework.None) (framework.None, error) {
	none := framework.None{}
	if isOwn(c, u.ID) {
		return none, framework.Conflict(CodeOwnAccount, "You cannot delete yourself here.")
	}
	if u.IsSuperuser && u.IsActive {
		if err := keepSuperuser(c, u.ID); err != nil {
			return none, err
		}
	}
	if err := a.service.BeforeDelete(c, u.account()); err != nil {
		return none, err
	}
	if err := framework.Remove(c, u); err != nil {
		return none, err
	}
	record(c, a.service, "account_deleted", u.ID)
	return none, nil
}

// setPassword sets the password of a user whose rights the caller holds. The user may have got more
// rights while the password was hashed, so the transaction checks them again.
func (a administration) setPassword(c *framework.Call, u *user, in PasswordInput) (framework.None, error) {
	none := framework.None{}
	if isOwn(c, u.ID) {
		return none, framework.Conflict(CodeOwnAccount, "You change your own password by POST /auth/password, which wants the current one.")
	}
	passwords := a.service.Users.Passwords()
	if err := passwords.Check(c, in.Password, auth.PasswordOwner{Email: u.Email, Username: u.Username, Name: u.Name}); err != nil {
		return none, auth.ClientError(err)
	}
	hash, err := passwords.Hash(c, in.Password)
	if err != nil {
		return none, auth.ClientError(err)
	}
	err = c.InTx(func(c *framework.Call) error {
		if err := lockWeaker(c, u.ID); err != nil {
			return err
		}
		return a.service.Users.SetPasswordHash(c, c.Session(), u.ID, hash)
	})
	if errors.Is(err, auth.ErrNotFound) {
		return none, framework.NotFound()
	}
	if err == nil {
		record(c, a.service, "password_changed", u.ID)
		a.service.Notify(c, auth.Notice{Kind: auth.NoticePasswordChanged, User: u.account(), To: u.Email})
	}
	return none, err
}

// signOut ends all sign-ins of a user whose rights the caller holds.
func (a administration) signOut(c *framework.Call, u *user, _ framework.None) (framework.None, error) {
	err := a.service.Users.EndSignIns(c, c.Session(), u.ID)
	record(c, a.service, "sign_ins_ended", u.ID)
	return framework.None{}, err
}
