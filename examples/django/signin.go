package main

import (
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/throttle"
)

// A Token is a row of authtoken_token. A user has at most one.
type Token struct {
	bun.BaseModel `bun:"table:authtoken_token"`

	Key     string `bun:",pk"`
	UserID  int64
	Created time.Time
}

// Credentials are the body of a sign-in.
type Credentials struct {
	Username string `json:"username" validate:"required"`
	Password string `json:"password" validate:"required" trim:"-"`
}

// TokenView is the answer to a sign-in.
type TokenView struct {
	Token string `json:"token"`
}

// A SignIn checks passwords of Django.
type SignIn struct{ passwords *auth.Passwords }

// signInTokens returns the viewset of POST /auth/token/.
func signInTokens(iterations int) (framework.Resource, error) {
	format := auth.DjangoPBKDF2(iterations)
	passwords, err := auth.NewPasswords(auth.PasswordOptions{Hashes: auth.HashOptions{Write: format}})
	if err != nil {
		return nil, err
	}
	rates, err := throttle.ParseRates("login=60/min", "login")
	if err != nil {
		return nil, err
	}
	limit := throttle.Scoped(new(throttle.Memory), "login", rates["login"], throttle.ByAddress())
	create := framework.Does(SignIn{passwords}.token).Untransacted().Answers(http.StatusOK).
		Authenticate().Permit(framework.Anyone()).Throttle(limit)
	return framework.ViewSet[Token]{
		Name:   "token",
		Verbs:  framework.Verbs{Create: create},
		Scope:  framework.Public(),
		Models: []any{(*User)(nil)},
	}, nil
}

func codes() []framework.CodeInfo {
	return []framework.CodeInfo{{
		Code: auth.CodeInvalidCredentials, Status: http.StatusBadRequest, Title: "Wrong credentials",
		Text: "No active user has this name and password.",
	}}
}

// token returns the token of the user with a name and a password.
func (s SignIn) token(c *framework.Call, in Credentials) (TokenView, error) {
	var user User
	err := c.DB.NewSelect().Model(&user).Where("username = ?", in.Username).Where("is_active").Scan(c)
	if errors.Is(err, sql.ErrNoRows) {
		if err := s.passwords.Pretend(c, in.Password); err != nil {
			return TokenView{}, err
		}
		return TokenView{}, wrongCredentials()
	}
	if err != nil {
		return TokenView{}, err
	}
	ok, outdated, err := s.passwords.Verify(c, user.Password, in.Password)
	if errors.Is(err, auth.ErrHash) { // as a wrong password: another answer would disclose the account
		err = s.passwords.Pretend(c, in.Password)
	}
	if err != nil {
		return TokenView{}, err
	}
	if !ok {
		return TokenView{}, wrongCredentials()
	}
	renewed := user.Password
	if outdated {
		if renewed, err = s.passwords.Hash(c, in.Password); err != nil {
			return TokenView{}, err
		}
	}
	var view TokenView
	err = c.InTx(func(c *framework.Call) error {
		view.Token, err = signedIn(c, user, renewed)
		return err
	})
	return view, err
}

func wrongCredentials() error {
	return framework.Invalid(framework.Fault{Code: auth.CodeInvalidCredentials, Detail: "Unable to log in with provided credentials."})
}

// signedIn stores a renewed hash, unless another request has changed the password, and returns
// the token of the user.
func signedIn(c *framework.Call, user User, hash string) (string, error) {
	if hash != user.Password {
		_, err := c.DB.NewUpdate().Model(&user).Set("password = ?", hash).WherePK().Where("password = ?", user.Password).Exec(c)
		if err != nil {
			return "", err
		}
	}
	key := make([]byte, 20)
	_, _ = rand.Read(key) // never fails
	token := Token{Key: hex.EncodeToString(key), UserID: user.ID, Created: c.Now}
	if _, err := c.DB.NewInsert().Model(&token).On("CONFLICT (user_id) DO NOTHING").Exec(c); err != nil {
		return "", err
	}
	err := c.DB.NewSelect().Model(&token).Column("key").Where("user_id = ?", user.ID).Scan(c)
	return token.Key, err
}
