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

// refreshInput is a refresh token.
type refreshInput struct {
	Refresh string `json:"refresh" validate:"required" doc:"The refresh token of the latest pair."`
}

// obtainJWT begins a login with a pair.
func (s *Service) obtainJWT(c *framework.Call, in credentials) (tokenPairView, error) {
	user, err := s.recognise(c, in, jwtScheme)
	if err != nil {
		return tokenPairView{}, err
	}
	pair, err := s.JWT.Issue(c, c.Session(), user)
	if err != nil {
		return tokenPairView{}, s.refuseLogin(c, jwtScheme, user.ID, err)
	}
	s.note(c, eventLogin, user.ID, via(jwtScheme))
	return viewPair(pair), nil
}

// refreshJWT answers the next pair. A token that is used again ends the login,
// and that is written down.
func (s *Service) refreshJWT(c *framework.Call, in refreshInput) (tokenPairView, error) {
	pair, err := s.JWT.Refresh(c, c.Session(), in.Refresh)
	if errors.Is(err, ErrRefreshReused) {
		claims, _ := s.JWT.keys.open(in.Refresh) // the signature held, or it would not be known
		s.note(c, eventRefreshReused, claims.Subject)
	}
	if err != nil {
		return tokenPairView{}, s.refuseToken(c, err)
	}
	return viewPair(pair), nil
}

// revokeJWT ends the login of a refresh token.
func (s *Service) revokeJWT(c *framework.Call, in refreshInput) (framework.None, error) {
	if err := s.JWT.Revoke(c, c.Session(), in.Refresh); err != nil {
		return framework.None{}, s.refuseToken(c, err)
	}
	claims, _ := s.JWT.keys.open(in.Refresh)
	s.note(c, eventJWTRevoked, claims.Subject)
	return framework.None{}, nil
}

// refuseToken counts a token that does not hold, as the schemes do, and adds
// what a 401 has to have.
func (s *Service) refuseToken(c *framework.Call, err error) error {
	refused, ok := errors.AsType[*framework.Error](err)
	if !ok || refused.Status != http.StatusUnauthorized {
		return err
	}
	if tooMany := s.limits.credentials.Allow(c, throttle.Address(c)); tooMany != nil {
		return tooMany
	}
	e := *refused
	e.Header = map[string]string{"WWW-Authenticate": s.JWT.Challenge()}
	return &e
}
