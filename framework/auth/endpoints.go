package auth

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// The codes of the endpoints, in addition to [SessionCodes] and [JWTCodes].
const (
	CodeEmailTaken   = "email_taken"   // 409
	CodeNotRevocable = "not_revocable" // 409

	// CodeInvalidCredentials is the code of the 401 for a failed sign-in.
	CodeInvalidCredentials = "invalid_credentials" //nolint:gosec // it names an error
)

// Codes explain the errors of the schemes and the endpoints, for framework.Config.
func (s *Service) Codes() []framework.CodeInfo {
	codes := []framework.CodeInfo{
		{
			Code: CodeInvalidCredentials, Status: http.StatusUnauthorized, Title: s.Users.loginName() + " or the password is wrong",
			Text: "No active user has these credentials. The answer does not disclose which of the two is wrong, or whether the account exists.",
		},
		{
			Code: CodeEmailTaken, Status: http.StatusConflict, Title: "The e-mail is taken",
			Text: "A user with this e-mail exists already. Sign in instead, or register another.",
		},
		{
			Code: CodeNotRevocable, Status: http.StatusConflict, Title: "These credentials cannot be given up here",
			Text: "The request was recognised by a scheme that has nothing to revoke. Stop sending the credentials instead.",
		},
		{
			Code: CodeTLSRequired, Status: http.StatusForbidden, Title: "Credentials need TLS",
			Text: "The request carried credentials and came without TLS. Send it by https, and replace the credentials: others may have read them on the way.",
		},
	}
	return slices.Concat(codes, s.accountCodes(), s.faultCodes(), SessionCodes(), JWTCodes())
}

// faultCodes explain the faults of an account.
func (s *Service) faultCodes() []framework.CodeInfo {
	codes := []framework.CodeInfo{
		{Code: "email", Text: "It is no e-mail address."},
		{Code: "too_short", Text: "It has too few characters."},
		{Code: "too_long", Text: "It has too many characters."},
		{Code: "too_common", Text: "It is so common that it is easy to guess."},
		{Code: "same_as_email", Text: "It is the same as the e-mail address."},
		{Code: "not_utf8", Text: "It is not valid UTF-8."},
		{Code: "ambiguous", Text: "Two members that mean the same differ; send one of them."},
	}
	if s.Users.usernames {
		codes = append(codes, framework.CodeInfo{Code: "username", Text: "It is not a user name."})
	}
	return codes
}

// ViewSet serves /auth: the endpoints with which callers register, sign in, sign out and
// read their account. Register it like any other viewset. It does not use the permission
// of the API: every caller may sign in, and every authenticated caller may sign out.
// Endpoints that register or check a password have rates of their own instead of the
// throttles of the API. A page of another site can make a browser send requests, and so could
// use up the rate of the API for anonymous callers. The rates of these endpoints count only
// requests that such a page cannot make.
func (s *Service) ViewSet() framework.ViewSet[User] {
	show, begin, end := s.sessionActions()
	return withoutCompression(framework.ViewSet[User]{
		Name:       "auth",
		Doc:        "Who the caller is: register, sign in, sign out.",
		Scope:      framework.Own(func(u *User) *uuid.UUID { return &u.ID }),
		Permission: framework.Anyone(), // for methods that are not offered: 405, even before a login
		Slash:      framework.WithoutSlash,
		Models:     models(),
		Collection: slices.Concat([]framework.CollectionAction{
			s.profile.registerAction(s),
			signInAction(s, "login", s.login).ID("login").SignsIn().Throttle().Refuses(CodeInvalidCredentials).
				Doc("Sign in: a token for the header Authorization, shown this once."),
			framework.OnCollection(http.MethodPost, "logout", s.logout).ID("logout").Untransacted().Permit(framework.Authenticated()).Refuses(CodeNotRevocable).
				Doc("Revoke the credentials that the request is sent with: its token, session or JWT login, no other."),
			s.profile.meAction(s),
			signInAction(s, "token", s.obtainToken).ID("createAuthToken").Throttle().Refuses(CodeInvalidCredentials).
				Doc("Sign in for a script: a token, shown this once."),
			framework.OnCollection(http.MethodDelete, "token", s.revokeToken).Untransacted().
				Authenticate(s.guard(s.tokens)...).Permit(framework.Authenticated()).
				Doc("Revoke the token that the request is sent with."),
			show, begin, end,
			signInAction(s, "jwt", s.obtainJWT).ID("createAuthJwt").Throttle().Refuses(CodeInvalidCredentials).
				Doc("Sign in for a pair of JWTs: access for requests, refresh for the next pair."),
			publicAction(s, "jwt/refresh", s.refreshJWT).ID("refreshAuthJwt").Refuses(framework.CodeInvalidToken, CodeRefreshSuperseded).
				Doc("Get the next pair; the refresh token that was sent is no longer valid."),
			publicAction(s, "jwt/revoke", s.revokeJWT).ID("revokeAuthJwt").Refuses(framework.CodeInvalidToken).
				Doc("End the login that a refresh token belongs to."),
		}, s.accountActions()),
	})
}

// sessionActions returns the endpoints of the session of a browser.
func (s *Service) sessionActions() (show, begin, end framework.CollectionAction) {
	browser := s.guard(s.Sessions)
	show = framework.OnCollection(http.MethodGet, "session", s.showSession).Authenticate(browser...).Permit(framework.Anyone()).
		Doc("The browser's session: who is signed in, and the csrfToken that its scripts send as X-CSRFToken. " +
			"It sets cookies that the token belongs to: the POST that signs in must bring them along, as browsers do.")
	begin = signInAction(s, "session", s.beginSession).ID("createAuthSession").Throttle().Refuses(CodeInvalidCredentials, CodeCSRFFailed).Sends(s.Sessions.Sends()...).
		Takes(framework.Header{Name: csrfHeader, Required: true, Doc: "The csrfToken of GET {prefix}/auth/session, whose cookies the request must have too."}).
		Doc("Sign a browser in. Get the session first: its csrfToken goes into X-CSRFToken, its cookies come along.")
	end = framework.OnCollection(http.MethodDelete, "session", s.endSession).Untransacted().Authenticate(browser...).Permit(framework.Anyone()).
		Doc("Sign the browser out.")
	return show, begin, end
}

// withoutCompression declares that the answers have secrets, so that none is compressed: tokens, the csrfToken of a session, and
// what a user is known by.
func withoutCompression(v framework.ViewSet[User]) framework.ViewSet[User] {
	for i, action := range v.Collection {
		v.Collection[i] = action.AnswersSecret()
	}
	return v
}

// models returns a model of each table of this package.
func models() []any {
	return []any{
		(*userWithHash)(nil), (*tokenWithHash)(nil), (*sessionWithHash)(nil), (*jwtFamily)(nil), (*jwtSuperseded)(nil), (*mailLink)(nil),
		(*Group)(nil), (*membership)(nil), (*userPermission)(nil), (*groupPermission)(nil),
		(*identityRow)(nil),
	}
}

// publicAction returns an action for callers without credentials, so it runs no scheme. If TLS
// is required, it rejects a request without TLS. The framework opens no transaction, because
// the functions hash passwords or open their own.
func publicAction[In, Out any](s *Service, name string, fn func(*framework.Call, In) (Out, error)) framework.CollectionAction {
	checked := func(c *framework.Call, in In) (out Out, err error) {
		if err := s.checkTransport(c); err != nil {
			return out, err
		}
		return fn(c, in)
	}
	return framework.OnCollection(http.MethodPost, name, checked).Authenticate().Permit(framework.Anyone()).Untransacted().
		Refuses(CodeTLSRequired, framework.CodeThrottled).Sends(s.limits.login.Sends()...)
}
