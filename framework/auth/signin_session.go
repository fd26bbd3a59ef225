package auth

import (
	"github.com/google/uuid"

	"trestle.example/framework"
)

// A sessionView is the user who is signed in on a browser, and the value for the header
// X-CSRFToken.
type sessionView struct {
	User      *userView `json:"user"      doc:"The user who is signed in, or null."`
	CSRFToken string    `json:"csrfToken" doc:"The value of the header X-CSRFToken for requests that write."`
}

// showSession returns the user who is signed in, or null before a login, and a CSRF token. It
// sets the cookies of the token, see [Sessions.CSRFToken].
func (s *Service) showSession(c *framework.Call, _ framework.None) (sessionView, error) {
	var view sessionView
	if !c.Caller.Anonymous() {
		user, err := s.me(c, framework.None{})
		if err != nil {
			return sessionView{}, err
		}
		view.User = &user
	}
	var err error
	view.CSRFToken, err = s.Sessions.CSRFToken(c)
	return view, err
}

// beginSession signs a browser in, with a new session. It checks for CSRF before it
// checks the password.
func (s *Service) beginSession(c *framework.Call, in credentials) (sessionView, error) {
	if err := s.Sessions.CheckCSRF(c); err != nil {
		return sessionView{}, err
	}
	user, err := s.recognise(c, in, sessionScheme)
	if err != nil {
		return sessionView{}, err
	}
	token, err := s.Sessions.begin(c, user)
	if err != nil {
		return sessionView{}, s.rejectLogin(c, sessionScheme, user.ID, err)
	}
	s.note(c, eventLogin, user.ID, schemeAttr(sessionScheme))
	view := s.view(user)
	return sessionView{&view, token}, nil
}

// endSession signs a browser out, whether it is signed in or not. It logs only the sign-out of
// an authenticated caller.
func (s *Service) endSession(c *framework.Call, _ framework.None) (framework.None, error) {
	if err := s.Sessions.End(c); err != nil {
		return framework.None{}, err
	}
	if !c.Caller.Anonymous() {
		s.note(c, eventLogout, framework.IDOf[uuid.UUID](c), schemeAttr(sessionScheme))
	}
	return framework.None{}, nil
}
