package auth

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// A resetRequest is the body of a request for a mail that resets the password.
type resetRequest struct {
	Email address `json:"email" validate:"required" doc:"The e-mail address of the account."`
}

// A resetConfirmation is a new password with the token of a mail.
type resetConfirmation struct {
	Token    string      `json:"token"    validate:"required,max=512" doc:"The token of the mail."`
	Password newPassword `json:"password" validate:"required" trim:"-" doc:"The new password, unchanged: spaces count."`
}

// requestReset promises a mail to the user of an e-mail address. The answer and its work are the
// same for every address: the job of the mail finds out whether there is a user.
func (s *Service) requestReset(c *framework.Call, in resetRequest) (framework.None, error) {
	email, err := NormalizeEmail(string(in.Email))
	if err != nil {
		return framework.None{}, ClientError(err)
	}
	if err := s.limitMail(c, email); err != nil {
		return framework.None{}, err
	}
	err = s.deliver(c, func(ctx context.Context, db *sqldb.Session) error { return s.sendReset(ctx, db, email) })
	if err == nil {
		s.note(c, eventResetRequested, uuid.Nil)
	}
	return framework.None{}, err
}

// limitMail counts a mail that a client requests: per address of the client, and per e-mail
// address. A 429 does not disclose whether the e-mail address has an account.
func (s *Service) limitMail(c *framework.Call, email string) error {
	if err := s.limits.mailAddress.Allow(c, throttle.Address(c)); err != nil {
		return err
	}
	return s.limits.mail.Allow(c, email)
}

// sendReset sends the mail to the active user of an e-mail address. It does nothing if there is
// no such user, and for a user without a password, who signs in by other means.
func (s *Service) sendReset(ctx context.Context, db *sqldb.Session, email string) error {
	row, err := findByEmail(ctx, db, email)
	if errors.Is(err, ErrNotFound) || err == nil && (!row.IsActive || !row.hasPassword()) {
		return nil
	}
	if err != nil {
		return err
	}
	token, err := s.Users.issueLink(ctx, db, row.User, linkReset, row.Email)
	if err != nil {
		return err
	}
	return s.send(ctx, Notice{Kind: NoticeReset, User: row.User, To: row.Email, Token: token})
}

// confirmReset sets a new password and ends every credential of the user. A token of a mail is
// also a proof of the e-mail address, which is then verified.
func (s *Service) confirmReset(c *framework.Call, in resetConfirmation) (framework.None, error) {
	none := framework.None{}
	if err := s.Users.passwords.hasher.checkReady(c); err != nil {
		return none, err
	}
	link, user, err := s.Users.findLink(c, c.Session(), in.Token, linkReset)
	if err != nil {
		return none, s.limitGuesses(c, err)
	}
	password := string(in.Password)
	if err := s.Users.passwords.rules.judge(c, password, ownerOf(user)); err != nil {
		return none, ClientError(err)
	}
	hash, err := s.Users.passwords.hasher.hash(c, password)
	if err != nil {
		return none, ClientError(err)
	}
	err = c.InTx(func(c *framework.Call) error {
		db := c.Session()
		if err := useLink(c, db, link, user); err != nil {
			return err
		}
		if err := s.Users.update(c, db, user.ID, "email_verified_at", c.Now); err != nil {
			return err
		}
		return s.Users.storePassword(c, db, user.ID, hash, credential{})
	})
	if err != nil {
		return none, s.limitGuesses(c, err)
	}
	s.note(c, eventPasswordReset, user.ID)
	s.notify(c, Notice{Kind: NoticePasswordChanged, User: user, To: user.Email})
	return none, nil
}

// limitGuesses counts an error about a token of a mail, as the schemes count invalid tokens. If
// the address has caused too many, it returns 429. It returns any other error unchanged.
func (s *Service) limitGuesses(c *framework.Call, err error) error {
	e, ok := errors.AsType[*framework.Error](err)
	if !ok || e.Code != CodeInvalidLink {
		return err
	}
	if tooMany := s.limits.credentials.Allow(c, throttle.Address(c)); tooMany != nil {
		return tooMany
	}
	return err
}
