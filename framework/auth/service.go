package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// Config are the settings of [New]. The zero Config is fit for development.
type Config struct {
	// Passwords is the policy for new passwords. Its defaults are in [Options].
	Passwords PasswordPolicy
	// PasswordQueue is how many passwords may wait to be hashed, see
	// [Options.PasswordQueue]. Defaults to 128.
	PasswordQueue int
	// Hashes states how password hashes are read and written, see [HashOptions]. Defaults to
	// [Argon2id].
	Hashes HashOptions
	// Usernames makes the sign-in accept a user name in place of an e-mail address, and adds the
	// field username to registrations, to GET /auth/me and to PATCH /auth/me. A user name is
	// optional and unique, see [NormalizeUsername]. Defaults to false.
	Usernames bool
	// Session are the settings of sessions. Their defaults are in [SessionOptions].
	Session SessionOptions
	// JWT are the settings of JWTs. If Keys is nil, New generates a key, and the JWTs of
	// this process are valid only in this process. Issuer defaults to Realm.
	JWT JWTOptions
	// TokenLife is how long a token from a sign-in is valid. Defaults to
	// [DefaultTokenLife], 30 days.
	TokenLife time.Duration
	// Account switches on the endpoints with which users look after their own account. All are
	// off by default.
	Account AccountOptions
	// Profile declares own columns of users, as a [Profile]. Defaults to none.
	Profile ProfileOption
	// Mailer sends the mails of Account. Defaults to none.
	Mailer mail.Mailer
	// Counters stores the counts of the rates. Defaults to a throttle.Memory.
	Counters throttle.Store
	// Rates by scope, one of [Scopes]. A scope without a rate has that of [DefaultRates].
	Rates map[string]throttle.Rate
	// RequireTLS rejects credentials that arrive without TLS, with 403 tls_required: the
	// client must treat them as stolen. It also sets Session.Secure. Defaults to false,
	// for development.
	RequireTLS bool
	// Role returns the role of a user for clients; the server does not use it. Defaults
	// to "staff" for staff, else "user".
	Role func(User) string
	// Realm names the protected space in challenges. Defaults to "api".
	Realm string
	// Now returns the time, for tests. Defaults to time.Now.
	Now func() time.Time
	// Log receives the audit log: one line, "audit", for each registration, each sign-in,
	// failed sign-in and throttled sign-in, each identity that is linked to an account, each
	// sign-out, each issued token, each revocation, each reused refresh token, and each change
	// of an account by its user. A line contains no secret and no e-mail address. Defaults to
	// slog.Default.
	Log *slog.Logger
}

// A Service authenticates the callers of a whole API. It has the accounts, the three
// schemes, and the endpoints below /auth with which callers register, sign in and sign
// out. A program passes its parts to the framework:
//
//	identity, err := auth.New(auth.Config{})
//	api := framework.New(framework.Config{
//		DB:             db,
//		Authentication: identity.Authentication(),
//		Throttles:      identity.Throttles(),
//		Codes:          identity.Codes(),
//	})
//	api.Register(identity.ViewSet())
//	go identity.Run(ctx, db, report)
//
// Run [Migrations] before that. Make one Service for the process. It is safe for
// concurrent use.
type Service struct {
	// Users, Sessions and JWT are the parts, for code that does more than the endpoints
	// do.
	Users    *Users
	Sessions *Sessions
	JWT      *JWT

	tokens     *Tokens
	tokenLife  time.Duration
	requireTLS bool
	role       func(User) string
	account    AccountOptions
	profile    ProfileOption
	mailer     mail.Mailer
	outbox     *mail.Outbox
	limits     limits
	schemes    []framework.Authenticator
	log        *slog.Logger
	first      *firstOffer
}

// New returns a service with the settings c, or an error that names the invalid setting.
func New(c Config) (*Service, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	users, err := NewUsers(Options{Passwords: c.Passwords, PasswordQueue: c.PasswordQueue, Hashes: c.Hashes, Usernames: c.Usernames, Now: c.Now})
	if err != nil {
		return nil, err
	}
	sessions, err := NewSessions(c.Session)
	if err != nil {
		return nil, err
	}
	jwt, err := NewJWT(c.JWT)
	if err != nil {
		return nil, err
	}
	s := &Service{
		Users: users, Sessions: sessions, JWT: jwt, tokens: NewTokens(TokenOptions{Realm: c.Realm, Now: c.Now}), tokenLife: c.TokenLife,
		requireTLS: c.RequireTLS, role: c.Role, limits: newLimits(c.Counters, c.Rates), log: c.Log,
		account: c.Account, profile: c.Profile, mailer: c.Mailer, outbox: newOutbox(c.Log), first: &firstOffer{},
	}
	s.schemes = s.guard(s.Sessions, s.tokens, s.JWT)
	return s, nil
}

// complete fills in the defaults, generates a key if JWT.Keys is nil, and checks TokenLife,
// Rates, Account and Profile. The constructors of the parts check the other settings.
func (c *Config) complete() error {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Role == nil {
		c.Role = roleOf
	}
	if c.Counters == nil {
		c.Counters = new(throttle.Memory)
	}
	c.TokenLife = cmp.Or(c.TokenLife, DefaultTokenLife)
	c.Realm = cmp.Or(c.Realm, "api")
	c.Session.Secure = c.Session.Secure || c.RequireTLS
	c.Session.Realm, c.JWT.Realm = cmp.Or(c.Session.Realm, c.Realm), cmp.Or(c.JWT.Realm, c.Realm)
	c.JWT.Issuer = cmp.Or(c.JWT.Issuer, c.Realm)
	if c.Session.Now == nil {
		c.Session.Now = c.Now
	}
	if c.JWT.Now == nil {
		c.JWT.Now = c.Now
	}
	if c.TokenLife < 0 {
		return fmt.Errorf("auth.Config: TokenLife is %s; it must be above zero", c.TokenLife)
	}
	if err := c.completeAccount(); err != nil {
		return err
	}
	if c.JWT.Keys == nil {
		if err := c.makeKeys(); err != nil {
			return err
		}
	}
	return checkRates(c.Rates)
}

// completeAccount fills in the defaults of Account and Profile, and checks them.
func (c *Config) completeAccount() error {
	if c.Account.Compose == nil {
		c.Account.Compose = Notice.Message
	}
	c.Account.Service = cmp.Or(c.Account.Service, c.Realm)
	if c.Profile == nil {
		c.Profile = withoutProfile{}
	}
	return errors.Join(c.Account.check(c), c.Profile.check())
}

// makeKeys generates a key that is not stored.
func (c *Config) makeKeys() error {
	text, err := GenerateKey("", EdDSA)
	if err != nil {
		return err
	}
	c.JWT.Keys, err = ParseKeys(text.Reveal())
	return err
}

func roleOf(u User) string {
	if u.IsStaff {
		return "staff"
	}
	return "user"
}

// Authentication returns the schemes, for framework.Config: first own, then the schemes
// for a session, an opaque token and a JWT. If a request has an Authorization header, its
// session cookie does not count. Failures of all schemes are counted per address. Add no
// scheme after them: the last one rejects every Authorization header that no scheme accepts.
// RequireTLS covers credentials in the header Authorization and in the cookie of the
// session. It does not cover other credentials that own schemes read.
func (s *Service) Authentication(own ...framework.Authenticator) []framework.Authenticator {
	if len(own) == 0 {
		return s.schemes
	}
	return s.guard(append(slices.Clip(own), s.Sessions, s.tokens, s.JWT)...)
}

// Throttles returns the throttles of the scopes "anon" and "user" that have rates, for
// framework.Config.
func (s *Service) Throttles() []framework.Throttle { return s.limits.general }

// SendsMail reports whether an endpoint that is switched on sends mails, so that the service needs a
// mail server in production.
func (s *Service) SendsMail() bool { return s.account.Reset || s.account.Verify }

// Run stores every minute which sessions and tokens were used. Every hour it deletes
// expired sessions, tokens, JWT logins and links of mails. When ctx ends, it stores once more,
// waits up to 5 s for mails that are not sent yet, and returns.
// It passes errors and panics to report and continues. Without Run a session ends when its
// IdleLife has passed since its beginning, even if it is used.
func (s *Service) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	var mails sync.WaitGroup
	mails.Go(func() {
		<-ctx.Done()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
		defer cancel()
		if err := s.outbox.Close(ending); err != nil {
			report(fmt.Errorf("auth: not all mails were sent before the end: %w", err))
		}
	})
	runHousekeeping(ctx, db, report, s.Sessions, s.tokens, s.JWT, linkKeeper{s.Users})
	mails.Wait()
}

// guard returns the schemes as an endpoint runs them: after the check for TLS, if TLS is
// required, and with failures counted.
func (s *Service) guard(schemes ...framework.Authenticator) []framework.Authenticator {
	if s.requireTLS {
		schemes = append([]framework.Authenticator{transport{s.Sessions}}, schemes...)
	}
	return throttle.Failures(s.limits.credentials, schemes...)
}
