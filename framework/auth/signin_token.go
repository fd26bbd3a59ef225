package auth

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/throttle"
)

// A registration is the body of a request for a new account.
type registration struct {
	Email    address     `json:"email"    validate:"required" doc:"The e-mail address, by which the account is known."`
	Password newPassword `json:"password" validate:"required" trim:"-" doc:"The password, unchanged: spaces count. The error states what it lacks."`
	Name     givenName   `json:"name"     validate:"line" doc:"The name of the user."`
}

// A namedRegistration is a registration where users may have a user name.
type namedRegistration struct {
	registration
	Username newUsername `json:"username" validate:"line" doc:"A user name to sign in with beside the e-mail address: 3 to 150 characters, without spaces and @. Capitals do not matter." example:"asha"`
}

// A loginView is a token with its user.
type loginView struct {
	Token     string    `json:"token"     doc:"For the header Authorization. It is shown this once." example:"trs_…"`
	TokenType string    `json:"tokenType" doc:"The word before the token in the header Authorization: Bearer." example:"Bearer"`
	ExpiresAt time.Time `json:"expiresAt" doc:"When the token expires."`
	User      userView  `json:"user"      doc:"The user who signed in."`
}

// A tokenView is a token alone.
type tokenView struct {
	Token     string    `json:"token"     doc:"For the header Authorization. It is shown this once." example:"trs_…"`
	ExpiresAt time.Time `json:"expiresAt" doc:"When the token expires."`
}

// tokenType is the keyword that a client puts before the token.
const tokenType = "Bearer"

// register creates an account and a token in one transaction, logs both and sets the header
// Location. It hashes the password before the transaction, because other requests wait for that.
// Its errors, in this order: 400 for invalid input, 503 if the queue for hashes is full, 429
// for too many registrations, 503 if the hash then waits too long or is shed, and 409 if the
// e-mail is taken. The limiter does not count the first two. then runs in the transaction.
func (s *Service) register(c *framework.Call, in registration, username string, then extra) (loginView, error) {
	if err := s.check(in, username); err != nil {
		return loginView{}, err
	}
	if err := s.Users.passwords.hasher.checkReady(c); err != nil {
		return loginView{}, err // not counted, so that a retry costs nothing
	}
	if err := s.limits.register.Allow(c, throttle.Address(c)); err != nil {
		return loginView{}, err
	}
	row, err := s.Users.prepare(c, NewUser{Email: string(in.Email), Username: username, Name: string(in.Name), Password: string(in.Password)})
	if err != nil {
		return loginView{}, ClientError(err)
	}
	var token tokenView
	err = c.InTx(func(c *framework.Call) error {
		if err := insertUser(c, c.Session(), row); err != nil {
			return ClientError(err)
		}
		if then != nil {
			if err := then(c, row.User); err != nil {
				return err
			}
		}
		token, err = s.issue(c, row.User)
		return err
	})
	if err != nil {
		return loginView{}, err
	}
	s.note(c, eventRegistered, row.ID)
	s.note(c, eventTokenIssued, row.ID)
	s.verifyNew(c, row.User)
	c.Header().Set("Location", c.URL("/"+c.Route.ViewSet+"/me"))
	return s.viewLogin(row.User, token), nil
}

// check rejects a registration with the first fault of each field, as far as this needs no
// database.
func (s *Service) check(in registration, username string) error {
	email, wrongEmail := newEmail(string(in.Email))
	wrongPassword := s.Users.passwords.rules.check(string(in.Password), email)
	_, wrongName := normalizeName(string(in.Name))
	var wrongUsername error
	if username != "" {
		_, wrongUsername = NormalizeUsername(username)
	}
	return ClientError(wrongEmail, wrongPassword, wrongName, wrongUsername)
}

// login returns a token with its user.
func (s *Service) login(c *framework.Call, in credentials) (loginView, error) {
	user, token, err := s.signIn(c, in)
	return s.viewLogin(user, token), err
}

// obtainToken returns a token alone.
func (s *Service) obtainToken(c *framework.Call, in credentials) (tokenView, error) {
	_, token, err := s.signIn(c, in)
	return token, err
}

func (s *Service) signIn(c *framework.Call, in credentials) (User, tokenView, error) {
	user, err := s.recognise(c, in, tokenScheme)
	if err != nil {
		return User{}, tokenView{}, err
	}
	token, err := s.issue(c, user)
	if err != nil {
		return User{}, tokenView{}, s.rejectLogin(c, tokenScheme, user.ID, err)
	}
	s.note(c, eventLogin, user.ID, schemeAttr(tokenScheme))
	s.note(c, eventTokenIssued, user.ID)
	return user, token, nil
}

func (s *Service) issue(c *framework.Call, user User) (tokenView, error) {
	secret, record, err := s.Users.IssueToken(c, c.Session(), user, "", s.tokenLife)
	if err != nil {
		return tokenView{}, err
	}
	return tokenView{Token: secret.Reveal(), ExpiresAt: *record.ExpiresAt}, nil
}

func (s *Service) viewLogin(user User, token tokenView) loginView {
	return loginView{Token: token.Token, TokenType: tokenType, ExpiresAt: token.ExpiresAt, User: s.view(user)}
}

// revokeToken deletes the token of the request, and logs it, even if another request has
// already deleted the token.
func (s *Service) revokeToken(c *framework.Call, _ framework.None) (framework.None, error) {
	if err := s.endToken(c); err != nil {
		return framework.None{}, err
	}
	s.note(c, eventTokenRevoked, framework.IDOf[uuid.UUID](c))
	return framework.None{}, nil
}

// endToken deletes the token of the request. Another request may have deleted it already.
func (s *Service) endToken(c *framework.Call) error {
	plain, err := readToken(c.Request().Header)
	if err == nil {
		err = s.Users.RevokeToken(c, c.Session(), plain)
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
