package auth

import "trestle.example/framework"

// A browserView is who is signed in on it, and what its scripts send as
// X-CSRFToken.
type browserView struct {
	User      *userView `json:"user"`
	CSRFToken string    `json:"csrfToken"`
}

// showSession answers before a login too, with user null.
func (s *Service) showSession(c *framework.Call, _ framework.None) (browserView, error) {
	var view browserView
	if !c.Caller.Anonymous() {
		user, err := s.me(c, framework.None{})
		if err != nil {
			return browserView{}, err
		}
		view.User = &user
	}
	var err error
	view.CSRFToken, err = s.Sessions.CSRFToken(c)
	return view, err
}

// beginSession signs a browser in, with a new id. What may be forged is
// refused before the password is looked at.
func (s *Service) beginSession(c *framework.Call, in credentials) (browserView, error) {
	if err := s.Sessions.CheckCSRF(c); err != nil {
		return browserView{}, err
	}
	user, err := s.recognise(c, in, sessionScheme)
	if err != nil {
		return browserView{}, err
	}
	token, err := s.Sessions.begin(c, user)
	if err != nil {
		return browserView{}, s.refuseLogin(c, sessionScheme, user.ID, err)
	}
	s.note(c, eventLogin, user.ID, via(sessionScheme))
	view := s.view(user)
	return browserView{&view, token}, nil
}

// endSession signs a browser out, whether it is signed in or not.
func (s *Service) endSession(c *framework.Call, _ framework.None) (framework.None, error) {
	if err := s.Sessions.End(c); err != nil {
		return framework.None{}, err
	}
	if !c.Caller.Anonymous() {
		s.note(c, eventLogout, c.Caller.ID, via(sessionScheme))
	}
	return framework.None{}, nil
}
