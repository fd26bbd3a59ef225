package resources_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
	"trestle.example/resources"
	"trestle.example/resources/internal/leakscan"
)

// password is the password of all users, hashed once for each database: that takes as long as
// a hundred requests.
const password = "a long walk in May"

// fields are a body.
type fields = map[string]any

// A world is the whole server over one database, and those who call it.
type world struct {
	t        *testing.T
	db       *sqldb.DB
	identity *auth.Service
	api      *framework.API
	scan     *leakscan.Scan
	client   *frameworktest.Client // anonymous
	desk     *frameworktest.Client // of an endpoint where browsers sign in without a password
	hash     string                // of password
}

// both runs a test on both databases, migrated.
func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(context.Background(), nil, resources.Migrations()...); err != nil {
			t.Fatal(err)
		}
		test(t, db)
	})
}

// serve serves all services with pages of size rows, and a test's own
// resources. The scan checks every answer, and the OpenAPI document must describe each.
// There are no rates: these tests try each request
// thousands of times.
func serve(t *testing.T, db *sqldb.DB, size int, more ...framework.Resource) *world {
	t.Helper()
	w := &world{t: t, db: db}
	rates := auth.DefaultRates()
	for scope := range rates {
		rates[scope] = throttle.Rate{Limit: 1_000_000, Per: time.Minute}
	}
	var err error
	w.identity, err = resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: slog.New(slog.DiscardHandler), Rates: rates, Hashes: auth.HashOptions{Write: auth.DjangoBcrypt(4)}})
	w.must(err)
	config := resources.Config(db, size, w.identity)
	config.Log = slog.New(slog.DiscardHandler)
	w.api = framework.New(config)
	resources.Register(w.api, w.identity)
	w.api.Register(more...)
	handler, err := w.api.Handler()
	w.must(err)
	w.scan, err = leakscan.New(resources.Migrations()...)
	w.must(err)
	w.scan.Failures = true
	w.client = frameworktest.New(t, promised(t, w.api, len(more)).Wrap(t, w.scan.Wrap(t, handler)))
	return w
}

// contracts are those of the APIs that are served here.
var contracts contract.Book

// promised is the contract of an API with so many resources of a test's own.
func promised(tb testing.TB, api *framework.API, more int) *contract.Contract {
	tb.Helper()
	if more > 0 {
		return contracts.Of(tb, "", api)
	}
	return contracts.Of(tb, "all services", api)
}

// peopled runs a test on both databases at once, in worlds where people can be
// made.
func peopled(t *testing.T, test func(w *world)) {
	t.Helper()
	both(t, func(t *testing.T, db *sqldb.DB) {
		t.Parallel()
		test(serve(t, db, 20).withPeople())
	})
}

// withPeople opens the desk and hashes the password.
func (w *world) withPeople() *world {
	w.t.Helper()
	api := framework.New(framework.Config{DB: w.db, Permission: framework.Anyone(), Log: slog.New(slog.DiscardHandler)})
	api.Register(framework.ViewSet[auth.User]{
		Name: "desk", Scope: framework.Own(func(u *auth.User) *uuid.UUID { return &u.ID }),
		Collection: []framework.CollectionAction{
			framework.OnCollection(http.MethodGet, "door", w.signInPage),
			framework.OnCollection(http.MethodPost, "enter", w.enter),
		},
	})
	handler, err := api.Handler()
	w.must(err)
	w.desk = frameworktest.New(w.t, handler)
	first, err := w.identity.Users.CreateUser(w.t.Context(), w.db.Session(), auth.NewUser{Email: "first@clinic.example", Password: password})
	w.must(err)
	w.must(w.db.NewSelect().Table("auth_users").Column("password_hash").Where("id = ?", first.ID).Scan(w.t.Context(), &w.hash))
	w.scan.Hide(w.t, "a password's hash", w.hash)
	return w
}

// signInPage returns what a browser needs to sign in.
func (w *world) signInPage(c *framework.Call, _ framework.None) (string, error) {
	return w.identity.Sessions.CSRFToken(c)
}

type entering struct {
	ID uuid.UUID `json:"id"`
}

// enter begins the session of a user, as signing in does, but for the password.
func (w *world) enter(c *framework.Call, in entering) (string, error) {
	user, err := w.identity.Users.UserByID(c, c.Session(), in.ID)
	if err != nil {
		return "", err
	}
	return w.identity.Sessions.Begin(c, user)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// on returns the world in a subtest.
func (w *world) on(t *testing.T) *world {
	t.Helper()
	other := *w
	other.t, other.client = t, w.client.On(t)
	if w.desk != nil {
		other.desk = w.desk.On(t)
	}
	return &other
}

// An account is a user as it is stored.
type account struct {
	auth.User `bun:",extend"`

	PasswordHash string
}

// user makes a user. The changes make it other than a plain user.
func (w *world) user(changes ...func(*auth.User)) auth.User {
	w.t.Helper()
	id, now := uuid.Must(uuid.NewV7()), time.Now().UTC().Truncate(time.Microsecond)
	row := account{auth.User{ID: id, Email: id.String() + "@clinic.example", IsActive: true, CreatedAt: now, UpdatedAt: now}, w.hash}
	for _, change := range changes {
		change(&row.User)
	}
	w.store(&row)
	w.scan.Hide(w.t, "a user's id", id.String(), "/api/auth", "*/history/")
	return row.User
}

func staff(u *auth.User)     { u.IsStaff = true }
func superuser(u *auth.User) { u.IsSuperuser = true }

func (w *world) store(rows any) {
	w.t.Helper()
	_, err := w.db.NewInsert().Model(rows).Exec(w.t.Context())
	w.must(err)
}

// The kinds of credentials. Token and Bearer are one opaque token by its two
// keywords.
const (
	bySession = "Session"
	byToken   = "Token"
	byBearer  = "Bearer"
	byJWT     = "JWT"
)

var schemes = []string{bySession, byToken, byBearer, byJWT}

// A wallet has credentials of every kind, each a login of its own.
type wallet struct {
	user         auth.User
	token        string
	record       auth.TokenRecord
	jwt          auth.Pair
	cookie, csrf string // of a session
}

func (w *world) wallet(user auth.User) wallet {
	w.t.Helper()
	ctx, session := w.t.Context(), w.db.Session()
	user = w.now(user)
	secret, record, err := w.identity.Users.IssueToken(ctx, session, user, "test", time.Hour)
	w.must(err)
	pair, err := w.identity.JWT.Issue(ctx, session, user)
	w.must(err)
	w.scan.Hide(w.t, "a token", secret.Reveal())
	cookie, csrf := w.browse(user)
	return wallet{user: user, token: secret.Reveal(), record: record, jwt: pair, cookie: cookie, csrf: csrf}
}

// now is a user as the database has it: requests may have changed it.
func (w *world) now(user auth.User) auth.User {
	w.t.Helper()
	user, err := w.identity.Users.UserByID(w.t.Context(), w.db.Session(), user.ID)
	w.must(err)
	return user
}

// stale is the wallet of a user who was deactivated since.
func (w *world) stale() wallet {
	w.t.Helper()
	k := w.wallet(w.user())
	w.must(w.identity.Users.SetActive(w.t.Context(), w.db.Session(), k.user.ID, false))
	return k
}

// browse signs a browser in.
func (w *world) browse(user auth.User) (cookie, csrf string) {
	w.t.Helper()
	before, token := w.knock()
	in := w.desk.With("Cookie", "presession="+before).With("X-CSRFToken", token).Post("/api/desk/enter/", fields{"id": user.ID}).Expect(200)
	in.JSON(&csrf)
	return cookieOf(in, "sessionid"), csrf
}

// knock is a browser that is about to sign in.
func (w *world) knock() (presession, csrf string) {
	w.t.Helper()
	shown := w.desk.Get("/api/desk/door/").Expect(200)
	shown.JSON(&csrf)
	return cookieOf(shown, "presession"), csrf
}

// cookieOf is the value that a response sets a cookie to, "" for none.
func cookieOf(r *frameworktest.Response, name string) string {
	for _, c := range (&http.Response{Header: r.Headers()}).Cookies() {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// show is the client with the credentials of a scheme.
func (k wallet) show(c *frameworktest.Client, scheme string) *frameworktest.Client {
	switch scheme {
	case bySession:
		return c.With("Cookie", "sessionid="+k.cookie).With("X-CSRFToken", k.csrf)
	case byToken, byBearer:
		return c.With("Authorization", scheme+" "+k.token)
	case byJWT:
		return c.With("Authorization", "Bearer "+k.jwt.Access.Reveal())
	}
	return c
}
