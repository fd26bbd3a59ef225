package store_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// A site is the whole store over one database, as a program would serve it.
// Its own client is anonymous.
type site struct {
	*frameworktest.Client
	t     testing.TB
	db    *sqldb.DB
	users *auth.Users
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
	config := resources.Config(db, 20, identity)
	config.Log = slog.New(slog.DiscardHandler)
	config.Now = s.now
	api := framework.New(config)
	resources.Register(api, identity)
	handler, err := api.Handler()
	s.must(err)
	s.users = identity.Users
	s.Client = frameworktest.New(tb, watch(tb, handler))
	return s
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

// An account is a user as it is stored, here without a password: hashing one
// takes longer than most tests.
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
	}}
	_, err := s.db.NewInsert().Model(&user).Exec(ctx)
	s.must(err)
	token, _, err := s.users.IssueToken(ctx, session, user.User, "test", tokenLife)
	s.must(err)
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

// internal are names of members that no customer's response may have.
var internal = []string{"stock", "notes", "userId", "ownerId", "passwordHash", "actor", "searchDocument", "published", "archived"}

// watch looks through every response for what is internal.
func watch(tb testing.TB, handler http.Handler) http.Handler {
	tb.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		handler.ServeHTTP(recorded, r)
		body := recorded.Body.Bytes()
		if recorded.Code < 400 && !strings.HasPrefix(r.URL.Path, "/api/admin") {
			for _, name := range leaked(body) {
				tb.Errorf("%s %s answers with the internal member %q:\n%s", r.Method, r.URL.Path, name, body)
			}
		}
		if recorded.Code >= 500 {
			tb.Errorf("%s %s answers %d:\n%s", r.Method, r.URL.Path, recorded.Code, body)
		}
		maps.Copy(w.Header(), recorded.Header())
		w.WriteHeader(recorded.Code)
		_, _ = w.Write(body)
	})
}

// leaked are the internal names in a body, at any depth.
func leaked(body []byte) (names []string) {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, name := range internal {
				if _, there := v[name]; there {
					names = append(names, name)
				}
			}
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(value)
	return names
}
