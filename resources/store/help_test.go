package store_test

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
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
	"trestle.example/resources/internal/leakscan"
)

// A site is the whole store over one database, as a program would serve it.
// Its own client is anonymous.
type site struct {
	*frameworktest.Client
	t     testing.TB
	db    *sqldb.DB
	api   *framework.API
	users *auth.Users
	scan  *leakscan.Scan
	state *state
}

// state is what all copies of a site share.
type state struct {
	mu     sync.Mutex
	people map[string]person
	ahead  time.Duration // how far the site's clock is ahead
}

type person struct {
	auth.User

	token string
}

// both runs a test on both databases, each with a fresh site, beside others.
func both(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	t.Parallel()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) { test(t, open(t, db)) })
}

// open migrates a database and serves it.
func open(tb testing.TB, db *sqldb.DB) *site {
	tb.Helper()
	s := &site{t: tb, db: db, state: &state{people: map[string]person{}}}
	s.must(db.Migrate(context.Background(), nil, resources.Migrations()...))
	identity, err := resources.Identity(auth.Config{Log: slog.New(slog.DiscardHandler)})
	s.must(err)
	s.users = identity.Users
	s.scan, err = leakscan.New(resources.Migrations()...)
	s.must(err)
	s.scan.Failures = true
	s.api = framework.New(s.config(identity))
	resources.Register(s.api, identity)
	s.Client = s.serve("all services", s.api)
	return s
}

func (s *site) config(identity *auth.Service) framework.Config {
	config := resources.Config(s.db, 20, identity)
	config.Log, config.Now = slog.New(slog.DiscardHandler), s.now
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
		"/variants/*/mrpPaise: min", "/variants/*/pricePaise: min", // of which one is stored
		"/variants/*/sku: unique", "/variants/*/id: unique",
		// A new variant needs these, one that is stored does not.
		"/variants/*/sku: required", "/variants/*/label: required", "/variants/*/unit: required",
		"/variants/*/pricePaise: required", "/variants/*/stock: required",
	},
}

// serve is a client of an API that answers nothing which the scan has not
// looked through and the reference does not tell of: all requests of this
// package's tests come through here. The name stands for APIs that are declared
// alike, "" for none.
func (s *site) serve(name string, api *framework.API) *frameworktest.Client {
	s.t.Helper()
	handler, err := api.Handler()
	s.must(err)
	return frameworktest.New(s.t, contracts.Of(s.t, name, api).Wrap(s.t, s.scan.Wrap(s.t, handler)))
}

// now is the site's clock.
func (s *site) now() time.Time {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return time.Now().Add(s.state.ahead)
}

// wait turns the site's clock forward.
func (s *site) wait(d time.Duration) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.ahead += d
}

// on returns the site in a subtest.
func (s *site) on(tb testing.TB) *site {
	tb.Helper()
	other := *s
	other.t, other.Client = tb, s.Client.On(tb)
	return &other
}

// as is the client of a user: "staff" is staff, "root" a superuser, anybody
// else a customer.
func (s *site) as(name string) *frameworktest.Client {
	s.t.Helper()
	return s.As(s.person(name).token)
}

func (s *site) person(name string) person {
	s.t.Helper()
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	p, known := s.state.people[name]
	if !known {
		p = s.enrol(name)
		s.state.people[name] = p
	}
	return p
}

// An account is a user as it is stored. The hash is none of a password: hashing
// one takes longer than most tests.
type account struct {
	auth.User    `bun:",extend"`
	PasswordHash string
}

// tokenLife is longer than any test turns the clock forward.
const tokenLife = 365 * 24 * time.Hour

func (s *site) enrol(name string) person {
	s.t.Helper()
	ctx, session := context.Background(), s.db.Session()
	user := account{User: auth.User{
		ID: uuid.Must(uuid.NewV7()), Email: name + "@store.example", Name: name,
		IsActive: true, IsStaff: name == "staff", IsSuperuser: name == "root",
	}, PasswordHash: "$argon2id$" + rand.Text()}
	_, err := s.db.NewInsert().Model(&user).Exec(ctx)
	s.must(err)
	token, _, err := s.users.IssueToken(ctx, session, user.User, "test", tokenLife)
	s.must(err)
	s.scan.Hide(s.t, "a user's id", user.ID.String(), "/api/auth")
	s.scan.Hide(s.t, "a password's hash", user.PasswordHash)
	s.scan.Hide(s.t, "a token", token.Reveal())
	return person{user.User, token.Reveal()}
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// fields are a body.
type fields = map[string]any

// members are the names of an object's members, sorted.
func members(object map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

// at walks into a decoded answer: names of members, numbers of elements.
func at(value any, path ...any) any {
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

// idOf is the id in an answer.
func idOf(r *frameworktest.Response) string {
	var one struct {
		ID string `json:"id"`
	}
	r.JSON(&one)
	return one.ID
}
