package auth

import (
	"errors"
	"net/http"

	"trestle.example/framework"
)

// A Profile declares own columns of users: what clients send and see of them, and the functions
// that store and read them. They may be in a table of the program that refers to auth_users, or in
// columns that a migration of the program adds to auth_users.
//
//	Profile: auth.Profile[NewMember, MemberChange, MemberView]{
//		Create: func(c *framework.Call, user auth.User, in NewMember) error {
//			return framework.Insert(c, &Member{UserID: user.ID, Phone: in.Phone})
//		},
//		Change: func(c *framework.Call, user auth.User, in MemberChange) error { ... },
//		Show: func(c *framework.Call, user auth.User) (MemberView, error) { ... },
//	},
//
// New is the object "profile" of a registration, which is required, Change that of PATCH /auth/me, and View that of
// GET /auth/me. All three are in the OpenAPI document. New and Change have the rules of inputs:
// validate tags, and faults at /profile/... . In Change, use [framework.Optional] for a field that
// may be absent.
//
// Create and Change run in the transaction that creates or changes the account, which may run
// again. An error of them rolls it back and is the answer.
type Profile[New, Change, View any] struct {
	Create func(c *framework.Call, user User, in New) error
	Change func(c *framework.Call, user User, in Change) error
	Show   func(c *framework.Call, user User) (View, error)

	// Refuses lists the error codes of Create and Change, for the OpenAPI document. Defaults to
	// none.
	Refuses []string
}

// A ProfileOption is a [Profile] of any types.
type ProfileOption interface {
	check() error
	registerAction(s *Service) framework.CollectionAction
	meAction(s *Service) framework.CollectionAction
	changeAction(s *Service) framework.CollectionAction
}

// check returns an error if a function is missing.
func (p Profile[New, Change, View]) check() error {
	if p.Create == nil || p.Change == nil || p.Show == nil {
		return errors.New("auth.Config: Profile: it needs the functions Create, Change and Show")
	}
	return nil
}

// profiled adds a profile to an input or a view.
type (
	profiledRegistration[P any] struct {
		registration
		Profile P `json:"profile" validate:"required" doc:"What the service needs to know about the user."`
	}
	namedProfiledRegistration[P any] struct {
		namedRegistration
		Profile P `json:"profile" validate:"required" doc:"What the service needs to know about the user."`
	}
	profiledPatch[P any] struct {
		accountPatch
		Profile P `json:"profile" doc:"What changes of the profile. Absent fields stay."`
	}
	namedProfiledPatch[P any] struct {
		namedAccountPatch
		Profile P `json:"profile" doc:"What changes of the profile. Absent fields stay."`
	}
	profiledView[V any] struct {
		accountView
		Profile V `json:"profile" doc:"What the service knows about the user."`
	}
	namedProfiledView[V any] struct {
		namedAccountView
		Profile V `json:"profile" doc:"What the service knows about the user."`
	}
)

func (p Profile[New, Change, View]) registerAction(s *Service) framework.CollectionAction {
	create := func(in New) extra {
		return func(c *framework.Call, user User) error { return p.Create(c, user, in) }
	}
	if s.Users.usernames {
		return registerAction(s, func(in namedProfiledRegistration[New]) (registration, string, extra) {
			return in.registration, string(in.Username), create(in.Profile)
		}).Refuses(p.Refuses...)
	}
	return registerAction(s, func(in profiledRegistration[New]) (registration, string, extra) {
		return in.registration, "", create(in.Profile)
	}).Refuses(p.Refuses...)
}

func (p Profile[New, Change, View]) meAction(s *Service) framework.CollectionAction {
	if s.Users.usernames {
		return showAction(s, p.showNamed(s))
	}
	return showAction(s, p.show(s))
}

func (p Profile[New, Change, View]) changeAction(s *Service) framework.CollectionAction {
	change := func(in Change) extra {
		return func(c *framework.Call, user User) error {
			if !c.Has("profile") {
				return nil
			}
			return p.Change(c, user, in)
		}
	}
	if s.Users.usernames {
		return changeAction(s, p.showNamed(s), func(in namedProfiledPatch[Change]) (accountPatch, string, extra) {
			return in.accountPatch, string(in.Username), change(in.Profile)
		}).Refuses(p.Refuses...)
	}
	return changeAction(s, p.show(s), func(in profiledPatch[Change]) (accountPatch, string, extra) {
		return in.accountPatch, "", change(in.Profile)
	}).Refuses(p.Refuses...)
}

func (p Profile[New, Change, View]) show(s *Service) shower[profiledView[View]] {
	return func(c *framework.Call, user User) (view profiledView[View], err error) {
		view.accountView = s.viewAccount(user)
		view.Profile, err = p.Show(c, user)
		return view, err
	}
}

func (p Profile[New, Change, View]) showNamed(s *Service) shower[namedProfiledView[View]] {
	return func(c *framework.Call, user User) (view namedProfiledView[View], err error) {
		view.namedAccountView = s.viewNamed(user)
		view.Profile, err = p.Show(c, user)
		return view, err
	}
}

// extra is what a registration or a change does besides, in its transaction. It may be nil.
type extra func(c *framework.Call, user User) error

// A shower returns the representation of the account of a user.
type shower[Out any] func(c *framework.Call, user User) (Out, error)

// withoutProfile declares the endpoints of a service without a profile.
type withoutProfile struct{}

func (withoutProfile) check() error { return nil }

func (withoutProfile) registerAction(s *Service) framework.CollectionAction {
	if s.Users.usernames {
		return registerAction(s, func(in namedRegistration) (registration, string, extra) {
			return in.registration, string(in.Username), nil
		})
	}
	return registerAction(s, func(in registration) (registration, string, extra) { return in, "", nil })
}

func (withoutProfile) meAction(s *Service) framework.CollectionAction {
	switch {
	case s.Users.usernames:
		return showAction(s, func(_ *framework.Call, user User) (namedAccountView, error) { return s.viewNamed(user), nil })
	case s.account.any() && !s.account.PlainMe:
		return showAction(s, func(_ *framework.Call, user User) (accountView, error) { return s.viewAccount(user), nil })
	}
	return showAction(s, func(_ *framework.Call, user User) (userView, error) { return s.view(user), nil })
}

func (withoutProfile) changeAction(s *Service) framework.CollectionAction {
	if s.Users.usernames {
		show := func(_ *framework.Call, user User) (namedAccountView, error) { return s.viewNamed(user), nil }
		return changeAction(s, show, func(in namedAccountPatch) (accountPatch, string, extra) {
			return in.accountPatch, string(in.Username), nil
		})
	}
	show := func(_ *framework.Call, user User) (accountView, error) { return s.viewAccount(user), nil }
	return changeAction(s, show, func(in accountPatch) (accountPatch, string, extra) { return in, "", nil })
}

// registerAction returns POST /auth/register. split returns the parts of an input.
func registerAction[In any](s *Service, split func(In) (registration, string, extra)) framework.CollectionAction {
	action := publicAction(s, "register", func(c *framework.Call, in In) (loginView, error) {
		account, username, then := split(in)
		return s.register(c, account, username, then)
	})
	if s.Users.usernames {
		action = action.Refuses(framework.CodeUnique)
	}
	return action.ID("register").Throttle().Answers(http.StatusCreated).Refuses(CodeEmailTaken).
		Sends(framework.Header{Name: "Location", Doc: "The address of the account.", Required: true}).
		Doc("Make an account and sign in: the token is shown this once.")
}

// showAction returns GET /auth/me.
func showAction[Out any](s *Service, show shower[Out]) framework.CollectionAction {
	return framework.OnCollection(http.MethodGet, "me", func(c *framework.Call, _ framework.None) (out Out, err error) {
		row, err := s.caller(c)
		if err != nil {
			return out, err
		}
		return show(c, row.User)
	}).Permit(framework.Authenticated()).Doc("The user who sends the request.")
}

// changeAction returns PATCH /auth/me. split returns the parts of an input.
func changeAction[In, Out any](s *Service, show shower[Out], split func(In) (accountPatch, string, extra)) framework.CollectionAction {
	action := framework.OnCollection(http.MethodPatch, "me", func(c *framework.Call, in In) (out Out, err error) {
		account, username, then := split(in)
		user, err := s.changeAccount(c, account, username, then)
		if err != nil {
			return out, err
		}
		return show(c, user)
	})
	if s.Users.usernames {
		action = action.Refuses(framework.CodeUnique)
	}
	return action.ID("changeOwnAccount").Untransacted().Permit(framework.Authenticated()).Doc("Change the own account. Absent fields stay.")
}
