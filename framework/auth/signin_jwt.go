package auth

import (
	"errors"
	"net/http"

	"trestle.example/framework"
	"trestle.example/framework/throttle"
)

// A tokenPairView is a pair of JWTs.
type tokenPairView struct {
	Access  string `json:"access"  doc:"For the header Authorization; good for minutes."`
	Refresh string `json:"refresh" doc:"For the next pair, once."`
}

func viewPair(p Pair) tokenPairView { return tokenPairView{p.Access.Reveal(), p.Refresh.Reveal()} }

// A refreshInput is a refresh token.
type refreshInput struct {
	Refresh string `json:"refresh" validate:"required" doc:"The refresh token of the latest pair."`
}

// obtainJWT begins a login, logs it and returns its first pair. Its errors are those of
// [Service.recognise].
func (s *Service) obtainJWT(c *framework.Call, in credentials) (tokenPairView, error) {
	user, err := s.recognise(c, in, jwtScheme)
	if err != nil {
		return tokenPairView{}, err
	}
	pair, err := s.JWT.Issue(c, c.Session(), user)
	if err != nil {
		return tokenPairView{}, s.rejectLogin(c, jwtScheme, user.ID, err)
	}
	s.note(c, eventLogin, user.ID, schemeAttr(jwtScheme))
	return viewPair(pair), nil
}

// refreshJWT returns the next pair. A token that was replaced longer ago than the grace ends the
// login, and the audit log states it. Within the grace it is only an error.
func (s *Service) refreshJWT(c *framework.Call, in refreshInput) (tokenPairView, error) {
	pair, err := s.JWT.Refresh(c, c.Session(), in.Refresh)
	if errors.Is(err, ErrRefreshReused) {
		claims, _ := s.JWT.keys.open(in.Refresh) // the signature is valid, since the token was known
		s.note(c, eventRefreshReused, claims.Subject)
	}
	if err != nil {
		return tokenPairView{}, s.rejectToken(c, err)
	}
	return viewPair(pair), nil
}

// revokeJWT ends the login of a refresh token or an access token, and logs it, even if the
// login has already ended. An invalid token is an error, see [Service.rejectToken].
func (s *Service) revokeJWT(c *framework.Call, in refreshInput) (framework.None, error) {
	if err := s.JWT.Revoke(c, c.Session(), in.Refresh); err != nil {
		return framework.None{}, s.rejectToken(c, err)
	}
	claims, _ := s.JWT.keys.open(in.Refresh)
	s.note(c, eventJWTRevoked, claims.Subject)
	return framework.None{}, nil
}

// rejectToken counts a 401, as the schemes do, and adds the header that it needs. If the
// address has caused too many, it returns 429. It returns any other error unchanged and does
// not count it.
func (s *Service) rejectToken(c *framework.Call, err error) error {
	rejected, ok := errors.AsType[*framework.Error](err)
	if !ok || rejected.Status != http.StatusUnauthorized {
		return err
	}
	if tooMany := s.limits.credentials.Allow(c, throttle.Address(c)); tooMany != nil {
		return tooMany
	}
	e := *rejected
	e.Header = map[string]string{"WWW-Authenticate": s.JWT.Challenge()}
	return &e
}
