package auth

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// Config is what [New] makes a [Service] of. The zero Config is fit for
// development.
type Config struct {
	// Passwords says which passwords may be set. Defaults as [Options] says.
	Passwords PasswordPolicy
	// PasswordQueue is how many passwords wait to be hashed at most, as of
	// [Options.PasswordQueue]. Defaults to 128.
	PasswordQueue int
	// Session are the settings of sessions. Defaults as [SessionOptions] says.
	Session SessionOptions
	// JWT are the settings of JWTs. Without Keys a key is made up, and the JWTs
	// of this process are good in this process alone. Issuer defaults to
	// Realm.
	JWT JWTOptions
	// TokenLife is how long a token lives that somebody signs in for. Defaults
	// to [DefaultTokenLife], 30 days.
	TokenLife time.Duration
	// Counters keeps what the rates count. Defaults to a throttle.Memory.
	Counters throttle.Store
	// Rates by scope, one of [Scopes]. What it does not name is as
	// [DefaultRates] says.
	Rates map[string]throttle.Rate
	// RequireTLS refuses credentials that come without TLS, with 403
	// tls_required: those who sent them have to take them for stolen. It makes
	// Session.Secure true. Defaults to false, for development.
	RequireTLS bool
	// Role is what clients read as a user's role; it decides nothing. Defaults
	// to "staff" for staff, else "user".
	Role func(User) string
	// Realm names the protected space in challenges. Defaults to "api".
	Realm string
	// Now tells the time, for tests. Defaults to time.Now.
	Now func() time.Time
	// Log receives the audit: one line, "audit", for each registration, each
	// sign-in and its failure, each token that was issued, and whatever was
	// revoked. It holds no secret and no e-mail address. Defaults to
	// slog.Default.
	Log *slog.Logger
}

// A Service is identity for a whole API: accounts, the three schemes tried in
// turn, and the endpoints below /auth by which callers register, sign in and
// sign out. A program hands its parts to the framework:
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
// and runs [Migrations] before. Make one Service for the process. It is safe
// for concurrent use.
type Service struct {
	// Users, Sessions and JWT are the parts, for what a program does beside
	// the endpoints.
	Users    *Users
	Sessions *Sessions
	JWT      *JWT

	tokens     *Tokens
	tokenLife  time.Duration
	requireTLS bool
	role       func(User) string
	limits     limits
	schemes    []framework.Authenticator
	log        *slog.Logger
}

// New returns the service under c, or an error that says which setting cannot
// be used.
func New(c Config) (*Service, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	users, err := NewUsers(Options{Passwords: c.Passwords, PasswordQueue: c.PasswordQueue, Now: c.Now})
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
	}
	s.schemes = s.guarded(s.Sessions, s.tokens, s.JWT)
	return s, nil
}

// complete fills in the defaults.
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
	if c.JWT.Keys == nil {
		if err := c.makeKeys(); err != nil {
			return err
		}
	}
	return checkRates(c.Rates)
}

// makeKeys makes up a key that is kept nowhere.
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

// Authentication are the schemes, for framework.Config: those of the program's
// own, then a session, an opaque token, a JWT. An Authorization header decides
// alone. Failures of all are counted per address. Nothing may follow them: the
// last refuses every Authorization header that none of them took. RequireTLS
// knows the credentials of the service's own, and no others that are neither in
// the header Authorization nor in its cookie.
func (s *Service) Authentication(own ...framework.Authenticator) []framework.Authenticator {
	if len(own) == 0 {
		return s.schemes
	}
	return s.guarded(append(slices.Clip(own), s.Sessions, s.tokens, s.JWT)...)
}

// Throttles are those of the scopes "anon" and "user", as far as they have
// rates, for framework.Config.
func (s *Service) Throttles() []framework.Throttle { return s.limits.general }

// Run writes down which sessions and tokens are used, every minute, and
// deletes what has expired, every hour, until ctx ends; then it writes once
// more and returns. Errors go to report and end nothing. Without Run a session
// ends its idle life after it began, however much it is used.
func (s *Service) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	keepHouse(ctx, db, report, s.Sessions, s.tokens, s.JWT)
}

// guarded are schemes as an endpoint runs them: behind the check of the
// transport, and with failures counted.
func (s *Service) guarded(schemes ...framework.Authenticator) []framework.Authenticator {
	if s.requireTLS {
		schemes = append([]framework.Authenticator{transport{s.Sessions}}, schemes...)
	}
	return throttle.Failures(s.limits.credentials, schemes...)
}
