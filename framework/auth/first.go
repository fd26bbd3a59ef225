package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

const (
	// firstLife is how long the token of the first superuser is valid.
	firstLife = time.Hour
	// firstHeader is the name of the header with the token of the link. From then on a cookie with the name firstCookie has it.
	firstHeader = "X-First-Token"
	firstCookie = "first"
	// firstLock is the name of the lock that makes one superuser of requests at the same time.
	firstLock = "auth: the first superuser"
)

// A firstOffer is the right to make the first superuser, for the holder of a token. It has the SHA-256 of the token alone. It is
// safe for concurrent use.
type firstOffer struct {
	mu    sync.Mutex
	hash  [sha256.Size]byte
	made  time.Time
	until time.Time // zero without a token
}

// renew makes a new token. The one before ends.
func (f *firstOffer) renew(now time.Time) Secret {
	token := rand.Text()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hash, f.made, f.until = sha256.Sum256([]byte(token)), now, now.Add(firstLife)
	return NewSecret(token)
}

// isOf reports whether a token is that of the offer.
func (f *firstOffer) isOf(token string, now time.Time) bool {
	hash := sha256.Sum256([]byte(token))
	f.mu.Lock()
	defer f.mu.Unlock()
	return subtle.ConstantTimeCompare(hash[:], f.hash[:]) == 1 && now.Before(f.until)
}

// since returns when the token was made.
func (f *firstOffer) since() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.made
}

// end ends the token.
func (f *firstOffer) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until = time.Time{}
}

// OfferFirstSuperuser returns a token that makes the first superuser, for a link to the console: the address of the console and
// "~first/" and the token. The token is valid in this process, for one hour, until an active superuser exists. A later
// one replaces it. If there is an active superuser, the Secret is empty. Show the token only to the operator of the server,
// and write it to no log.
func (s *Service) OfferFirstSuperuser(ctx context.Context, db *sqldb.Session) (Secret, error) {
	exists, err := hasSuperuser(ctx, db)
	if err != nil || exists {
		return Secret{}, err
	}
	return s.first.renew(s.Users.now()), nil
}

// hasSuperuser reports whether there is an active superuser.
func hasSuperuser(ctx context.Context, db *sqldb.Session) (bool, error) {
	return db.IDB().NewSelect().Model((*User)(nil)).Where("u.is_superuser").Where("u.is_active").Exists(ctx)
}

// firstSet returns the endpoints that make the first superuser. They are for the console alone.
func (s *Service) firstSet() framework.ViewSet[User] {
	show := framework.OnCollection(http.MethodGet, "superuser", s.showFirst).Authenticate().Permit(framework.Anyone()).
		Refuses(CodeTLSRequired, framework.CodeNotFound).Takes(framework.Header{Name: firstHeader, Doc: "The token of the link. Later requests have a cookie."})
	create := publicAction(s, "superuser", s.makeFirst).Throttle().Answers(http.StatusCreated).
		Refuses(CodeCSRFFailed, CodeEmailTaken, framework.CodeNotFound).
		Takes(framework.Header{Name: csrfHeader, Required: true, Doc: "The csrfToken of the session."})
	return s.consoleSet("first", show, create)
}

// A newSuperuser is the body that makes the first superuser.
type newSuperuser struct {
	Email    string `json:"email"    validate:"required" doc:"You sign in with it."`
	Password string `json:"password" validate:"required" trim:"-" doc:"Spaces count."`
}

// showFirst checks the token of a request, and moves that of the link into a cookie.
func (s *Service) showFirst(c *framework.Call, _ framework.None) (framework.None, error) {
	if err := s.checkTransport(c); err != nil {
		return framework.None{}, err
	}
	if token := c.Request().Header.Get(firstHeader); token != "" {
		if err := s.checkFirst(c, token); err != nil {
			return framework.None{}, err
		}
		s.Sessions.SetCookie(c, firstCookie, token, firstLife)
		return framework.None{}, nil
	}
	return framework.None{}, s.checkFirst(c, s.Sessions.Cookie(c.Request(), firstCookie))
}

// checkFirst returns the error 404 for a token that is wrong or not valid any more.
func (s *Service) checkFirst(c *framework.Call, token string) error {
	if !s.first.isOf(token, c.Now) {
		return framework.NotFound()
	}
	return s.absentSuperuser(c, c.Session())
}

// absentSuperuser returns the error 404 if there is an active superuser, or one that was made after the token and disabled since. The
// token ends then.
func (s *Service) absentSuperuser(ctx context.Context, db *sqldb.Session) error {
	exists, err := db.IDB().NewSelect().Model((*User)(nil)).Where("u.is_superuser").
		Where("u.is_active OR u.created_at >= ?", s.first.since()).Exists(ctx)
	if err == nil && exists {
		s.first.end()
		err = framework.NotFound()
	}
	return err
}

// makeFirst makes the first superuser, and signs the browser in. The password is hashed before the transaction, which checks again
// that there is no superuser.
func (s *Service) makeFirst(c *framework.Call, in newSuperuser) (view sessionView, err error) {
	if err := s.mayMakeFirst(c); err != nil {
		return view, err
	}
	row, err := s.Users.prepare(c, NewUser{Email: in.Email, Password: in.Password, Staff: true, Superuser: true})
	if err != nil {
		return view, ClientError(err)
	}
	err = within(c, c.Session(), func(ctx context.Context, db *sqldb.Session) error {
		if err := db.LockName(ctx, firstLock); err != nil {
			return err
		}
		if err := s.absentSuperuser(ctx, db); err != nil {
			return err
		}
		return insertUser(ctx, db, row)
	})
	if err != nil {
		return view, ClientError(err)
	}
	s.first.end()
	s.Sessions.SetCookie(c, firstCookie, "", 0)
	s.note(c, eventFirstSuperuser, row.ID, slog.Bool("staff", true), slog.Bool("superuser", true))
	csrf, err := s.Sessions.begin(c, row.User)
	if err != nil {
		return view, err
	}
	s.note(c, eventLogin, row.ID, schemeAttr(sessionScheme))
	user := s.view(row.User)
	return sessionView{&user, csrf}, nil
}

// mayMakeFirst checks a request that makes the first superuser, as a sign-in is checked: its source, the queue for hashes, and the
// rate of the address. Then it checks the token.
func (s *Service) mayMakeFirst(c *framework.Call) error {
	if err := s.Sessions.CheckCSRF(c); err != nil {
		return err
	}
	if err := s.Users.passwords.hasher.checkReady(c); err != nil {
		return err
	}
	if err := s.limits.loginAddress.Allow(c, throttle.Address(c)); err != nil {
		if _, limited := errors.AsType[*framework.Error](err); limited {
			s.note(c, eventLoginThrottled, uuid.Nil, schemeAttr(sessionScheme))
		}
		return err
	}
	return s.checkFirst(c, s.Sessions.Cookie(c.Request(), firstCookie))
}
