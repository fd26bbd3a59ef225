package accounts

import (
	"log/slog"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// A TokenView is a token as it is listed. The token itself is not stored.
type TokenView struct {
	ID         uuid.UUID  `json:"id"`
	Name       string     `json:"name"         doc:"The name that the token got when it was issued; may be empty." example:"laptop"`
	Prefix     string     `json:"prefix"       doc:"The first characters of the token." example:"trs_a1b2"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  *time.Time `json:"expiresAt"   doc:"When it ends by itself; null for never."`
	LastUsedAt *time.Time `json:"lastUsedAt" doc:"When it was last used, up to two minutes behind; null if it was never used."`
}

// A SessionView is a browser that is signed in. The cookie is not stored.
type SessionView struct {
	ID         uuid.UUID `json:"id"`
	CreatedAt  time.Time `json:"createdAt"   doc:"When the user signed in."`
	LastSeenAt time.Time `json:"lastUsedAt" doc:"When it was last used, up to two minutes behind."`
}

// Own returns the viewsets auth/tokens and auth/sessions, with which callers list their own tokens
// and sessions and end one of them. POST auth/logout/everywhere of [auth.AccountOptions].LogoutEverywhere ends all.
func Own(s *auth.Service) []framework.Resource {
	tokens := tokenSet(s, "Own")
	tokens.Under, tokens.Slash = "auth", framework.WithoutSlash
	tokens.Scope, tokens.Permission = framework.Own(func(t *token) *uuid.UUID { return &t.UserID }), framework.Authenticated()
	tokens.Doc = "The caller's own tokens. Deleting one revokes it."
	sessions := sessionSet(s, "Own")
	sessions.Under, sessions.Slash = "auth", framework.WithoutSlash
	sessions.Scope, sessions.Permission = framework.Own(func(t *session) *uuid.UUID { return &t.UserID }), framework.Authenticated()
	sessions.Doc = "The browsers on which the caller is signed in. Deleting one signs it out. One that ended by itself is listed for up to an hour."
	return []framework.Resource{tokens, sessions}
}

// ofUsers puts a viewset of sign-ins below the users of the administration.
func ofUsers[M any](v framework.ViewSet[M], doc string) framework.ViewSet[M] {
	v.Parent, v.Scope, v.Doc = framework.Child("user", usersPath).ByWriters(), framework.Public(), doc
	v.Verbs.List, v.Verbs.Retrieve = v.Verbs.List.Permit(viewUsers), v.Verbs.Retrieve.Permit(viewUsers)
	v.Verbs.Delete = v.Verbs.Delete.Permit(changeUsers)
	v.Permission = viewUsers
	return v
}

func tokenSet(s *auth.Service, owner string) framework.ViewSet[token] {
	revoke := func(c *framework.Call, t *token, _ framework.None) (framework.None, error) {
		return framework.None{}, end(c, s, t, t.UserID, "token_revoked")
	}
	return framework.ViewSet[token]{
		Name: "tokens",
		Verbs: framework.Verbs{
			List: framework.Shows[TokenView]().ID("list" + owner + "Tokens"), Retrieve: framework.Shows[TokenView]().ID("get" + owner + "Token"),
			Delete: framework.Changes(revoke).ID("revoke" + owner + "Token").Doc("Revoke a token, at once."),
		},
		Ordering:  framework.Ordering{Default: "-id"},
		Unindexed: []string{"id"}, // a user has few of them
	}
}

func sessionSet(s *auth.Service, owner string) framework.ViewSet[session] {
	end := func(c *framework.Call, t *session, _ framework.None) (framework.None, error) {
		return framework.None{}, end(c, s, t, t.UserID, "session_ended")
	}
	return framework.ViewSet[session]{
		Name: "sessions",
		Verbs: framework.Verbs{
			List: framework.Shows[SessionView]().ID("list" + owner + "Sessions"), Retrieve: framework.Shows[SessionView]().ID("get" + owner + "Session"),
			Delete: framework.Changes(end).ID("end" + owner + "Session").Doc("Sign a browser out, at once."),
		},
		Ordering:  framework.Ordering{Default: "-id"},
		Unindexed: []string{"id"}, // a user has few of them
	}
}

// end deletes a row that signs a user in.
func end[M any](c *framework.Call, s *auth.Service, row *M, of uuid.UUID, event string) error {
	if err := framework.Remove(c, row); err != nil {
		return err
	}
	record(c, s, event, of)
	return nil
}

// record writes a line of the audit log after the commit: what the caller did to a user.
func record(c *framework.Call, s *auth.Service, event string, user uuid.UUID, more ...slog.Attr) {
	c.AfterCommit(func(c *framework.Call) error {
		s.RecordEvent(c, event, user, append(more, slog.String("by", c.Caller.IDText()))...)
		return nil
	})
}
