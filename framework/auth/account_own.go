package auth

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// An accountView is the representation of an account for its own user.
type accountView struct {
	userView
	EmailVerified bool `json:"emailVerified" doc:"Whether the user has proved to read the mail of the address."`
}

func (s *Service) viewAccount(u User) accountView {
	return accountView{s.view(u), u.EmailVerifiedAt != nil}
}

// An accountPatch is the body of a change of the own account. Absent fields stay.
type accountPatch struct {
	Name givenName `json:"name" validate:"line" doc:"The name of the user."`
}

// A namedAccountView is an accountView where users may have a user name.
type namedAccountView struct {
	accountView
	Username string `json:"username" doc:"The user name, as it is kept; empty without one." example:"asha"`
}

func (s *Service) viewNamed(u User) namedAccountView {
	return namedAccountView{s.viewAccount(u), u.Username}
}

// A namedAccountPatch is an accountPatch where users may have a user name.
type namedAccountPatch struct {
	accountPatch
	Username newUsername `json:"username" validate:"line" doc:"The user name: 3 to 150 characters, without spaces and @; empty to remove it." example:"asha"`
}

// A passwordChange is the body of a change of the own password.
type passwordChange struct {
	Current  string      `json:"currentPassword" validate:"required" trim:"-" doc:"The current password of the account."`
	Password newPassword `json:"password"        validate:"required" trim:"-" doc:"The new password, unchanged: spaces count."`
}

// A passwordProof is the body of a request that needs the password.
type passwordProof struct {
	Password string `json:"password" validate:"required" trim:"-" doc:"The password of the account."`
}

// caller returns the row of the user who sends the request. A user who was deleted meanwhile is
// 401.
func (s *Service) caller(c *framework.Call) (userWithHash, error) {
	var row userWithHash
	q := c.Session().IDB().NewSelect().Model(&row).Where("u.id = ?", framework.IDOf[uuid.UUID](c))
	err := scanOne(c, c.Session(), q, &row)
	return row, orMissing(err, framework.Unauthenticated())
}

// showAccount returns the account of the caller.
func (s *Service) showAccount(c *framework.Call, _ framework.None) (accountView, error) {
	row, err := s.caller(c)
	return s.viewAccount(row.User), err
}

// changeAccount changes the fields of the account that the body has, runs then, and returns the
// account. All of it is one transaction.
func (s *Service) changeAccount(c *framework.Call, in accountPatch, username string, then extra) (User, error) {
	id := framework.IDOf[uuid.UUID](c)
	var user User
	err := c.InTx(func(c *framework.Call) (err error) {
		if c.Has("name") {
			err = s.Users.SetName(c, c.Session(), id, string(in.Name))
		}
		if err == nil && s.Users.usernames && c.Has("username") {
			err = s.Users.SetUsername(c, c.Session(), id, username)
		}
		if err != nil {
			return err
		}
		row, err := s.caller(c)
		if err != nil || then == nil {
			user = row.User
			return err
		}
		user = row.User
		return then(c, user)
	})
	if errors.Is(err, ErrNotFound) {
		return User{}, framework.Unauthenticated()
	}
	if err != nil {
		return User{}, ClientError(err)
	}
	s.note(c, eventAccountChanged, id)
	return user, nil
}

// confirmPassword returns the caller if the body has their password. It counts the attempt as a
// sign-in, so that a stolen session cannot be used to guess the password. A wrong password is a
// fault of the field, and the audit log states it.
func (s *Service) confirmPassword(c *framework.Call, password, field string) (User, error) {
	if err := s.Users.passwords.hasher.checkReady(c); err != nil {
		return User{}, err // not counted, so that a retry costs nothing
	}
	row, err := s.caller(c)
	if err != nil {
		return User{}, err
	}
	if err := s.limits.loginAddress.Allow(c, throttle.Address(c)); err != nil {
		return User{}, err
	}
	if err := s.limits.login.Allow(c, row.Email, throttle.Address(c)); err != nil {
		s.note(c, eventLoginThrottled, row.ID, schemeAttr(c.Caller.Scheme))
		return User{}, err
	}
	err = s.Users.checkPassword(c, c.Session(), row, password)
	if errors.Is(err, ErrWrongCredentials) {
		s.noteFailure(c, c.Caller.Scheme, row.ID, err)
		return User{}, framework.Invalid(framework.Fault{Pointer: "/" + field, Code: "wrong_password", Detail: "is not the password of the account"})
	}
	return row.User, err
}

// changePassword sets a new password. It ends every credential of the user except that of the
// request.
func (s *Service) changePassword(c *framework.Call, in passwordChange) (framework.None, error) {
	none, password := framework.None{}, string(in.Password)
	user, err := s.confirmPassword(c, in.Current, "currentPassword")
	if err != nil {
		return none, err
	}
	if err := s.Users.passwords.rules.judge(c, password, ownerOf(user)); err != nil {
		return none, ClientError(err)
	}
	hash, err := s.Users.passwords.hasher.hash(c, password)
	if err != nil {
		return none, ClientError(err)
	}
	kept := s.credentialOf(c)
	err = c.InTx(func(c *framework.Call) error {
		if err := lockUnchanged(c, c.Session(), user); err != nil {
			return err
		}
		return s.Users.storePassword(c, c.Session(), user.ID, hash, kept)
	})
	if err != nil {
		return none, changedMeanwhile(err)
	}
	s.note(c, eventPasswordChanged, user.ID)
	s.notify(c, Notice{Kind: NoticePasswordChanged, User: user, To: user.Email})
	return none, nil
}

// changedMeanwhile turns the error of [lockUnchanged] into a 409 for the client.
func changedMeanwhile(err error) error {
	if errors.Is(err, ErrWrongCredentials) {
		return framework.Conflict(framework.CodeConflict, "The account was changed by another request meanwhile; read it again.")
	}
	return err
}

// A credential is what authenticated a request. The zero credential is that of
// another scheme.
type credential struct {
	token, session []byte    // hashes
	login          uuid.UUID // of a JWT
}

// credentialOf returns the credential of a request.
func (s *Service) credentialOf(c *framework.Call) (kept credential) {
	switch c.Caller.Scheme {
	case tokenScheme:
		if plain, err := readToken(c.Request().Header); err == nil {
			kept.token = hashToken(plain)
		}
	case sessionScheme:
		if key, _ := s.Sessions.key(c.Request(), sessionCookie); key != "" {
			kept.session = hashToken(key)
		}
	case jwtScheme:
		if token, err := readBearer(c.Request().Header); err == nil {
			if claims, ok := s.JWT.keys.open(token); ok {
				kept.login = claims.Family
			}
		}
	}
	return kept
}

// deleteAccount deletes the account of the caller with its credentials, permissions and
// memberships. Rows of other tables that refer to it keep it, see [AccountOptions.BeforeDelete].
func (s *Service) deleteAccount(c *framework.Call, in passwordProof) (framework.None, error) {
	none := framework.None{}
	user, err := s.confirmPassword(c, in.Password, "password")
	if err != nil {
		return none, err
	}
	err = c.InTx(func(c *framework.Call) error {
		if err := lockUnchanged(c, c.Session(), user); err != nil {
			return err
		}
		if err := s.BeforeDelete(c, user); err != nil {
			return err
		}
		return s.Users.DeleteUser(c, c.Session(), user.ID)
	})
	if err != nil {
		return none, stillReferenced(changedMeanwhile(err))
	}
	if c.Caller.Scheme == sessionScheme {
		if err := s.Sessions.End(c); err != nil {
			return none, err
		}
	}
	s.note(c, eventAccountDeleted, user.ID)
	return none, nil
}

// stillReferenced turns the fault of a foreign key into a 409 that is the same on both databases:
// SQLite does not report the table.
func stillReferenced(err error) error {
	fault, ok := sqldb.Classify(err)
	if ok && fault.Kind == sqldb.ForeignKey {
		return framework.Refuse(http.StatusConflict, framework.CodeReferenced, "Other records refer to this account.").Because(err)
	}
	return err
}
