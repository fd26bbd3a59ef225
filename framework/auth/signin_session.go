package auth

import "trestle.example/framework"

// A sessionView is who is signed in on a browser, and what its scripts send as
// X-CSRFToken.
type sessionView struct {
	User      *userView `json:"user"      doc:"Who is signed in; null for nobody."`
	CSRFToken string    `json:"csrfToken" doc:"What the header X-CSRFToken says of requests that write."`
}

// showSession answers before a login too, with user null.
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

// beginSession signs a browser in, with a new id. What may be forged is
// refused before the password is looked at.
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
		return sessionView{}, s.refuseLogin(c, sessionScheme, user.ID, err)
	}
	s.note(c, eventLogin, user.ID, via(sessionScheme))
	view := s.view(user)
	return sessionView{&view, token}, nil
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
