package auth

import (
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/throttle"
)

// credentials are the body of a sign-in.
type credentials struct {
	Email    string `json:"email"    doc:"The account's e-mail address. It or username is needed." example:"asha@example.com"`
	Username string `json:"username" doc:"Another name for email, for clients that send it; if both are there, they name the same account." example:"asha@example.com"`
	Password string `json:"password" validate:"required" trim:"-" doc:"The password, as it is: spaces count." example:"four unrelated words"`
}

// OneRequired returns two members; a request needs at least one.
func (credentials) OneRequired() []string { return []string{"email", "username"} }

// Check returns a fault if email and username name different accounts.
func (in credentials) Check() []framework.Fault {
	if in.Email != "" && in.Username != "" && !sameAccount(in.Email, in.Username) {
		return []framework.Fault{{Pointer: "/username", Code: "ambiguous", Detail: "is another name for email; send one of them"}}
	}
	return nil
}

// sameAccount reports whether two e-mail addresses identify the same account. If the first is
// not an e-mail address, the texts must be equal.
func sameAccount(a, b string) bool {
	first, err := NormalizeEmail(a)
	if err != nil {
		return a == b
	}
	second, err := NormalizeEmail(b)
	return err == nil && first == second
}

func (in credentials) account() string {
	if in.Email == "" {
		return in.Username
	}
	return in.Email
}

// A userView is the representation of a user for clients.
type userView struct {
	ID        uuid.UUID `json:"id"`
	Email     string    `json:"email"     doc:"In lower case, as it is kept." example:"asha@example.com"`
	Name      string    `json:"name"      doc:"What to call the user; empty if they did not say." example:"Asha Rao"`
	Role      string    `json:"role"      doc:"What the user is to the services. It decides nothing: permissions do."`
	CreatedAt time.Time `json:"createdAt" doc:"When the account was made."`
}

func (s *Service) view(u User) userView {
	return userView{ID: u.ID, Email: u.Email, Name: u.Name, Role: s.role(u), CreatedAt: u.CreatedAt}
}

// recognise returns the user of credentials. If the queue for hashes is full, it returns 503
// and counts nothing. Before it checks the password, it counts the attempt per address, and
// per account and address. Too many attempts are 429, and the audit log states it. Wrong
// credentials are 401. Only the audit log states the reason of a failure.
//
// A counted request has been read as JSON, which a page of another site cannot send unless
// CORS permits it. A sign-in with a session has also passed the CSRF check. So no other site
// can use up the rate of a visitor.
func (s *Service) recognise(c *framework.Call, in credentials, scheme string) (User, error) {
	if err := s.Users.passwords.hasher.checkReady(c); err != nil {
		return User{}, err // not counted, so that a retry costs nothing
	}
	err := s.limits.loginAddress.Allow(c, throttle.Address(c))
	if err == nil {
		err = s.limits.login.Allow(c, s.Users.accountKey(in.account()), throttle.Address(c))
	}
	if err != nil {
		if _, limited := errors.AsType[*framework.Error](err); limited {
			s.note(c, eventLoginThrottled, uuid.Nil, schemeAttr(scheme))
		}
		return User{}, err
	}
	user, err := s.Users.CheckPassword(c, c.Session(), in.account(), in.Password)
	if err != nil {
		return User{}, s.rejectLogin(c, scheme, uuid.Nil, err)
	}
	return user, nil
}

// rejectLogin turns [ErrWrongCredentials] into the 401 for the client, and logs the reason.
// It returns any other error unchanged. user is the account if the password was correct.
func (s *Service) rejectLogin(c *framework.Call, scheme string, user uuid.UUID, err error) error {
	if !errors.Is(err, ErrWrongCredentials) {
		return err
	}
	s.noteFailure(c, scheme, user, err)
	e := framework.Refuse(http.StatusUnauthorized, CodeInvalidCredentials, s.Users.loginName()+" or the password is wrong, or the account is not active.")
	e.Header = map[string]string{"WWW-Authenticate": s.JWT.Challenge()}
	return e
}

// me returns the user who sends the request. A user who was deleted meanwhile is 401.
func (s *Service) me(c *framework.Call, _ framework.None) (userView, error) {
	user, err := s.Users.UserByID(c, c.Session(), framework.IDOf[uuid.UUID](c))
	if errors.Is(err, ErrNotFound) { // deleted since the request was authenticated
		return userView{}, framework.Unauthenticated()
	}
	return s.view(user), err
}

// logout revokes the credentials of the request, and logs it. For a scheme that is not one of
// this package it returns 409 [CodeNotRevocable].
func (s *Service) logout(c *framework.Call, _ framework.None) (framework.None, error) {
	var err error
	switch c.Caller.Scheme {
	case tokenScheme:
		err = s.endToken(c)
	case sessionScheme:
		err = s.Sessions.End(c)
	case jwtScheme:
		err = s.JWT.RevokeBearer(c, c.Session(), c.Request().Header)
	default:
		err = framework.Conflict(CodeNotRevocable, "The scheme "+c.Caller.Scheme+" has nothing to revoke; stop sending its credentials.")
	}
	if err == nil {
		s.note(c, eventLogout, framework.IDOf[uuid.UUID](c), schemeAttr(c.Caller.Scheme))
	}
	return framework.None{}, err
}
