package auth

import (
	"github.com/google/uuid"

	"trestle.example/framework"
)

// ConsoleSignIn lets the users of the service sign in to the console of an API that lacks [Service.ViewSet], and lets the holder of
// a token of [Service.OfferFirstSuperuser] make the first superuser. Only requests of the console reach these endpoints:
//
//	api.AddConsoleSignIn(identity.ConsoleSignIn())
func (s *Service) ConsoleSignIn() framework.ConsoleSignIn {
	show, begin, end := s.sessionActions()
	return framework.ConsoleSignIn{
		Sessions: s.consoleSet("", show, begin, end), Schemes: s.guard(s.Sessions), First: s.firstSet(), Codes: s.Codes(),
	}
}

// consoleSet returns a viewset of endpoints for the console alone.
func (s *Service) consoleSet(name string, actions ...framework.CollectionAction) framework.ViewSet[User] {
	v := framework.ViewSet[User]{
		Name: "auth", Doc: "Who uses the console.", Scope: framework.Own(func(u *User) *uuid.UUID { return &u.ID }),
		Permission: framework.Anyone(), Slash: framework.WithoutSlash, Models: models(), Collection: actions,
	}
	if name != "" {
		v.Name, v.Under = name, "auth"
	}
	return withoutCompression(v)
}
