package storetest

import (
	"context"
	"crypto/rand"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
	"trestle.example/resources/internal/leakscan"
)

// A Site is the whole store over one database, as a program would serve it.
// Its own client is anonymous.
type Site struct {
	*frameworktest.Client
	T     testing.TB
	DB    *sqldb.DB
	API   *framework.API
	Users *auth.Users
	Scan  *leakscan.Scan
	state *state
}

// state is what all copies of a site share.
type state struct {
	mu     sync.Mutex
	people map[string]Person
	ahead  time.Duration // how far the site's clock is ahead
}

// A Person is a user with a token.
type Person struct {
	auth.User

	Token string
}

// Both runs a test on both databases, each with a fresh site, beside others.
func Both(t *testing.T, test func(t *testing.T, s *Site)) {
	t.Helper()
	t.Parallel()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) { test(t, Open(t, db)) })
}

// Open migrates a database and serves it.
func Open(tb testing.TB, db *sqldb.DB) *Site {
	tb.Helper()
	s := &Site{T: tb, DB: db, state: &state{people: map[string]Person{}}}
	s.Must(db.Migrate(context.Background(), nil, resources.Migrations()...))
	var err error
	s.Scan, err = leakscan.New(resources.Migrations()...)
	s.Must(err)
	s.Scan.Failures = true
	s.ServeAll()
	return s
}

// leastCost is the least cost of bcrypt: tests hash many passwords.
const leastCost = 4

// ServeAll serves all services, with observers.
func (s *Site) ServeAll(observers ...framework.Observer) {
	s.T.Helper()
	log := slog.New(slog.DiscardHandler)
	identity, err := resources.Identity(auth.Config{Mailer: mail.Log{To: log}, Log: log, Hashes: auth.HashOptions{Write: auth.DjangoBcrypt(leastCost)}})
	s.Must(err)
	s.Users = identity.Users
	config := s.Config(identity)
	config.Observers = observers
	s.API = framework.New(config)
	resources.Register(s.API, identity)
	s.Client = s.Serve("all services", s.API)
}

// Config is the configuration of the server, on the site's clock.
func (s *Site) Config(identity *auth.Service) framework.Config {
	config := resources.Config(s.DB, 20, identity)
	config.Log, config.Now = slog.New(slog.DiscardHandler), s.Now
	return config
}

// contracts are those of the APIs that are served here.
var contracts = contract.Book{Unsaid: unsaid}

// unsaid are the faults of bodies that their schemas take, because JSON Schema cannot
// express the rule.
var unsaid = map[string][]string{
	"": {
		"nul",     // said of all text in the conventions
		"integer", // 1.0 and 1e2 are whole numbers to JSON Schema
		"range",   // format int64 says what can be stored
	},
	"createOrder": {"/deliveryAddress: required"}, // where no earlier order has one
	"createAdminProduct": {
		"/imageUrl: format",         // what an address by https must be beyond the format uri
		"/variants/*/mrpPaise: min", // not below the price
		"/variants/*/sku: unique",   // no two variants with one SKU
	},
	"updateAdminProduct": {
		"/imageUrl: format",
		"/variants/*/mrpPaise: min", "/variants/*/pricePaise: max", // the server stores one of them
		"/variants/*/sku: unique", "/variants/*/id: unique",
		// A new variant needs these, one that is stored does not.
		"/variants/*/sku: required", "/variants/*/label: required", "/variants/*/unit: required",
		"/variants/*/pricePaise: required", "/variants/*/stock: required",
	},
}

// Serve is a client of an API. It scans all answers for secrets, and compares requests
// and answers with the OpenAPI document. APIs with the same declarations share a name; an
// API without a name is "".
func (s *Site) Serve(name string, api *framework.API) *frameworktest.Client {
	s.T.Helper()
	handler, err := api.Handler()
	s.Must(err)
	return frameworktest.New(s.T, contracts.Of(s.T, name, api).Wrap(s.T, s.Scan.Wrap(s.T, handler)))
}

// Now is the site's clock.
func (s *Site) Now() time.Time {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return time.Now().Add(s.state.ahead)
}

// TurnClock turns the site's clock forward.
func (s *Site) TurnClock(d time.Duration) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.ahead += d
}

// On returns the site in a subtest.
func (s *Site) On(tb testing.TB) *Site {
	tb.Helper()
	other := *s
	other.T, other.Client = tb, s.Client.On(tb)
	return &other
}

// ClientOf is the client of a user: "staff" is staff, "root" a superuser, all others
// are customers.
func (s *Site) ClientOf(name string) *frameworktest.Client {
	s.T.Helper()
	return s.As(s.PersonOf(name).Token)
}

// PersonOf is the user of a name, created by the first call.
func (s *Site) PersonOf(name string) Person {
	s.T.Helper()
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	p, known := s.state.people[name]
	if !known {
		p = s.enrol(name)
		s.state.people[name] = p
	}
	return p
}

// An account is a user as it is stored. The hash is not that of a password: hashing one
// takes longer than most tests.
type account struct {
	auth.User    `bun:",extend"`
	PasswordHash string
}

// tokenLife is longer than any test turns the clock forward.
const tokenLife = 365 * 24 * time.Hour

func (s *Site) enrol(name string) Person {
	s.T.Helper()
	ctx, session := context.Background(), s.DB.Session()
	user := account{User: auth.User{
		ID: uuid.Must(uuid.NewV7()), Email: name + "@store.example", Name: name,
		IsActive: true, IsStaff: name == "staff", IsSuperuser: name == "root",
	}, PasswordHash: "$argon2id$" + rand.Text()}
	_, err := s.DB.NewInsert().Model(&user).Exec(ctx)
	s.Must(err)
	token, _, err := s.Users.IssueToken(ctx, session, user.User, "test", tokenLife)
	s.Must(err)
	s.Scan.Hide(s.T, "a user's id", user.ID.String(), "/api/auth")
	s.Scan.Hide(s.T, "a password's hash", user.PasswordHash)
	s.Scan.Hide(s.T, "a token", token.Reveal())
	return Person{user.User, token.Reveal()}
}

// Must ends the test if there is an error.
func (s *Site) Must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// Fields are a body.
type Fields = map[string]any

// Members are the names of an object's members, sorted.
func Members(object map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

// At is a value in a decoded answer, at a path of names of members and numbers of
// elements.
func At(value any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			value = value.(map[string]any)[step]
		case int:
			value = value.([]any)[step]
		}
	}
	return value
}

// IDOf is the id in an answer.
func IDOf(r *frameworktest.Response) string {
	var one struct {
		ID string `json:"id"`
	}
	r.JSON(&one)
	return one.ID
}
