package auth

import "trestle.example/framework"

// namedCredentials are the body of a sign-in where user names are accepted.
type namedCredentials struct {
	Email    string `json:"email"    doc:"The account's e-mail address. It or username is needed." example:"asha@example.com"`
	Username string `json:"username" doc:"The account's user name, or its e-mail address. If both members are there, they must be equal." example:"asha"`
	Password string `json:"password" validate:"required" trim:"-" doc:"The password, as it is: spaces count." example:"four unrelated words"`
}

// OneRequired returns the two members. A request needs at least one of them.
func (in namedCredentials) OneRequired() []string { return credentials(in).OneRequired() }

// Check returns a fault if email and username differ.
func (in namedCredentials) Check() []framework.Fault { return credentials(in).Check() }

// signInAction returns a public action that takes credentials, with user names if the service
// accepts them.
func signInAction[Out any](s *Service, name string, fn func(*framework.Call, credentials) (Out, error)) framework.CollectionAction {
	if !s.Users.usernames {
		return publicAction(s, name, fn)
	}
	return publicAction(s, name, func(c *framework.Call, in namedCredentials) (Out, error) { return fn(c, credentials(in)) })
}
