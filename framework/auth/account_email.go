package auth

import (
	"context"
	"errors"
	"fmt"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// An emailChange is the body of a request for another e-mail address.
type emailChange struct {
	Email    address `json:"email"           validate:"required" doc:"The new e-mail address."`
	Password string  `json:"currentPassword" validate:"required" trim:"-" doc:"The current password of the account."`
}

// A verification is the token of a mail.
type verification struct {
	Token string `json:"token" validate:"required,max=512" doc:"The token of the mail."`
}

// newAddress checks a change: the current password, the new address, and that no other user has
// it. It returns the user and the new address in normal form.
func (s *Service) newAddress(c *framework.Call, in emailChange) (User, string, error) {
	email, err := newEmail(string(in.Email))
	if err != nil {
		return User{}, "", ClientError(err)
	}
	user, err := s.confirmPassword(c, in.Password, "currentPassword")
	if err != nil {
		return User{}, "", err
	}
	if email == user.Email {
		return User{}, "", framework.Invalid(framework.Fault{Pointer: "/email", Code: "unchanged", Detail: "is the e-mail address of the account already"})
	}
	_, err = findByEmail(c, c.Session(), email)
	switch {
	case err == nil:
		return User{}, "", ClientError(emailTaken(email))
	case !errors.Is(err, ErrNotFound):
		return User{}, "", err
	}
	return user, email, nil
}

func emailTaken(email string) error {
	return invalid("email", "unique", fmt.Sprintf("A user with the e-mail %s exists already.", email))
}

// changeEmail changes the address at once, and reports it to the old one.
func (s *Service) changeEmail(c *framework.Call, in emailChange) (accountView, error) {
	user, email, err := s.newAddress(c, in)
	if err != nil {
		return accountView{}, err
	}
	err = c.InTx(func(c *framework.Call) error {
		if err := lockUnchanged(c, c.Session(), user); err != nil {
			return err
		}
		return s.Users.storeEmail(c, c.Session(), user.ID, email, nil)
	})
	if err != nil {
		return accountView{}, changedMeanwhile(ClientError(err))
	}
	s.note(c, eventEmailChanged, user.ID)
	s.notify(c, Notice{Kind: NoticeEmailChanged, User: user, To: user.Email})
	return s.showAccount(c, framework.None{})
}

// requestEmail sends a token to the new address, and reports the wish to the old one. Nothing
// changes before the token is used.
func (s *Service) requestEmail(c *framework.Call, in emailChange) (framework.None, error) {
	user, email, err := s.newAddress(c, in)
	if err != nil {
		return framework.None{}, err
	}
	if err := s.limitMail(c, email); err != nil {
		return framework.None{}, err
	}
	err = s.deliver(c, func(ctx context.Context, db *sqldb.Session) error { return s.sendVerification(ctx, db, user, email) })
	if err != nil {
		return framework.None{}, err
	}
	s.note(c, eventEmailRequested, user.ID)
	s.notify(c, Notice{Kind: NoticeEmailRequested, User: user, To: user.Email})
	return framework.None{}, nil
}

// requestVerification sends another mail to the address of the caller, unless it is verified.
func (s *Service) requestVerification(c *framework.Call, _ framework.None) (framework.None, error) {
	user, err := s.caller(c)
	if err != nil || user.EmailVerifiedAt != nil {
		return framework.None{}, err
	}
	if err := s.limitMail(c, user.Email); err != nil {
		return framework.None{}, err
	}
	return framework.None{}, s.deliver(c, func(ctx context.Context, db *sqldb.Session) error {
		return s.sendVerification(ctx, db, user.User, user.Email)
	})
}

// sendVerification sends a token to an address that the user gave. It does nothing if the
// account changed since it was read.
func (s *Service) sendVerification(ctx context.Context, db *sqldb.Session, user User, email string) error {
	token, err := s.Users.issueLink(ctx, db, user, linkEmail, email)
	if errors.Is(err, ErrWrongCredentials) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.send(ctx, Notice{Kind: NoticeVerify, User: user, To: email, Token: token})
}

// verifyEmail makes the address that a token was sent to the verified address of its user. If
// that is another address than before, it reports the change to the old one.
func (s *Service) verifyEmail(c *framework.Call, in verification) (framework.None, error) {
	link, user, err := s.Users.findLink(c, c.Session(), in.Token, linkEmail)
	if err != nil {
		return framework.None{}, s.limitGuesses(c, err)
	}
	err = c.InTx(func(c *framework.Call) error {
		if err := useLink(c, c.Session(), link, user); err != nil {
			return err
		}
		if link.Email == user.Email {
			return s.Users.update(c, c.Session(), user.ID, "email_verified_at", c.Now)
		}
		return s.Users.storeEmail(c, c.Session(), user.ID, link.Email, &c.Now)
	})
	if err != nil {
		return framework.None{}, s.limitGuesses(c, ClientError(err))
	}
	s.note(c, eventEmailVerified, user.ID)
	if link.Email != user.Email {
		s.note(c, eventEmailChanged, user.ID)
		s.notify(c, Notice{Kind: NoticeEmailChanged, User: user, To: user.Email})
	}
	return framework.None{}, nil
}

// verifyNew sends the mail to a new user, if addresses are verified. If the outbox is full, the
// user can request another mail.
func (s *Service) verifyNew(c *framework.Call, user User) {
	if !s.account.Verify {
		return
	}
	err := s.deliver(c, func(ctx context.Context, db *sqldb.Session) error {
		return s.sendVerification(ctx, db, user, user.Email)
	})
	if err != nil {
		s.log.Warn("a mail was not sent, because too many wait", "kind", NoticeVerify, "user", user.ID.String())
	}
}
