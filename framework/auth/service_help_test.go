package auth_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
	"trestle.example/internal/journal"
)

const goodPassword = "four unrelated words walk"

// A desk is a Service in an API on a database, as a program serves it, with a clock that
// the test sets. Its own client is anonymous and a trusted proxy, so that requests may
// come from any address, with or without TLS.
type desk struct {
	*frameworktest.Client
	*testing.T

	db       *sqldb.DB
	service  *auth.Service
	promised *contract.Contract // the contract of the API
	hashes   *atomic.Int64
	log      *journal.Journal
	clock    *clock
}

// A setting changes the configuration of a desk.
type setting func(*auth.Config, *framework.Config)

// onDesk runs a test on both databases, each with a fresh desk.
func onDesk(t *testing.T, set setting, test func(*desk)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
		test(openDesk(t, db, set))
	})
}

func openDesk(t *testing.T, db *sqldb.DB, set setting) *desk {
	t.Helper()
	d := &desk{T: t, db: db, log: &journal.Journal{}, clock: newClock()}
	own := auth.Config{
		Hashes: auth.HashOptions{Write: auth.CheapHashes()},
		Now:    d.clock.now, Counters: &throttle.Memory{Clock: d.clock.now},
		Log: slog.New(slog.NewJSONHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	common := framework.Config{
		DB: db, Now: d.clock.now, Log: slog.New(slog.DiscardHandler),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	}
	if set != nil {
		set(&own, &common)
	}
	d.serve(own, common)
	return d
}

// serve makes the service and its API, and replaces earlier ones.
func (d *desk) serve(own auth.Config, common framework.Config) {
	d.Helper()
	var err error
	d.service, err = auth.New(own)
	must(d.T, err)
	d.hashes = auth.CountHashes(d.service)
	common.Authentication, common.Throttles = d.service.Authentication(), d.service.Throttles()
	common.Codes = append(d.service.Codes(), common.Codes...)
	api := framework.New(common)
	api.Register(groups, d.service.ViewSet())
	d.Client, d.promised = client(d.T, api), contracts.Of(d.T, "", api)
}

// on returns the desk for a subtest.
func (d *desk) on(t *testing.T) *desk {
	other := *d
	other.T, other.Client = t, d.Client.On(t)
	return &other
}

// rates returns the settings of a desk with these rates.
func rates(by map[string]throttle.Rate) setting {
	return func(c *auth.Config, _ *framework.Config) { c.Rates = by }
}

// unlimited is a desk without rate limits, for tests that sign in often.
func unlimited(c *auth.Config, _ *framework.Config) {
	most := throttle.Rate{Limit: 1_000_000, Per: time.Second}
	c.Rates = map[string]throttle.Rate{
		auth.ScopeLogin: most, auth.ScopeLoginAddress: most, auth.ScopeRegister: most, auth.ScopeCredentials: most,
		auth.ScopeMail: most, auth.ScopeMailAddress: most,
	}
}

// user creates an account.
func (d *desk) user(email string) auth.User {
	d.Helper()
	user, err := d.service.Users.CreateUser(d.Context(), d.db.Session(), auth.NewUser{Email: email, Name: "Asha", Password: goodPassword})
	must(d.T, err)
	return user
}

// inactive creates an account that is not active.
func (d *desk) inactive() auth.User {
	d.Helper()
	user := d.user("gone@example.com")
	must(d.T, d.service.Users.SetActive(d.Context(), d.db.Session(), user.ID, false))
	return user
}

// token makes a token for a user, as another login would.
func (d *desk) token(user auth.User) string {
	d.Helper()
	secret, _, err := d.service.Users.IssueToken(d.Context(), d.db.Session(), user, "", 0)
	must(d.T, err)
	return secret.Reveal()
}

// pair makes a pair of JWTs for a user.
func (d *desk) pair(user auth.User) pairView {
	d.Helper()
	pair, err := d.service.JWT.Issue(d.Context(), d.db.Session(), user)
	must(d.T, err)
	return pairView{pair.Access.Reveal(), pair.Refresh.Reveal()}
}

// as returns the client with a value of the header Authorization.
func (d *desk) as(authorization string) *frameworktest.Client {
	return d.With("Authorization", authorization)
}

// from returns the client at another address.
func (d *desk) from(address string) *frameworktest.Client {
	return d.With("X-Forwarded-For", address)
}

// knows checks the e-mail of the caller, "" for anonymous.
func (d *desk) knows(c *frameworktest.Client, email string) {
	d.Helper()
	if email == "" {
		c.Get("/api/groups/who/").Expect(http.StatusUnauthorized)
		return
	}
	c.Get("/api/groups/who/").Expect(http.StatusOK).Contains(`"email":"` + email + `"`)
}

// count returns the number of rows of a table.
func (d *desk) count(table string) int64 {
	d.Helper()
	n, err := d.db.NewSelect().Table(table).Count(d.Context())
	must(d.T, err)
	return n
}

// right signs asha@example.com in; wrong fails.
var (
	right = credentialsOf("asha@example.com", goodPassword)
	wrong = credentialsOf("asha@example.com", "another four words walk")
)

// credentialsOf returns the body of a sign-in.
func credentialsOf(email, password string) map[string]any {
	return map[string]any{"email": email, "password": password}
}

// object is a body, and members returns its names in order.
func object(r *frameworktest.Response) map[string]any {
	value := map[string]any{}
	r.JSON(&value)
	return value
}

func members(value any) string {
	named, _ := value.(map[string]any)
	return strings.Join(slices.Sorted(maps.Keys(named)), " ")
}

func text(value any) string {
	found, _ := value.(string)
	return found
}

// A tab is a browser: it stores cookies, and its scripts send the latest token.
type tab struct {
	*frameworktest.Client

	cookies map[string]string
	csrf    string
}

func (d *desk) tab() *tab { return &tab{d.Client, map[string]string{}, ""} }

// signedIn returns a browser on which asha@example.com is signed in.
func (d *desk) signedIn() *tab {
	d.Helper()
	b := d.tab()
	b.do(http.MethodGet, nil).Expect(http.StatusOK)
	b.do(http.MethodPost, right).Expect(http.StatusOK)
	return b
}

// do calls the endpoint of the session.
func (b *tab) do(method string, body any) *frameworktest.Response {
	r := b.client().Do(method, "/api/auth/session", body)
	b.keep(r)
	return r
}

// client returns a client with the cookies and the token of the tab.
func (b *tab) client() *frameworktest.Client {
	var cookies []string
	for name, value := range b.cookies {
		cookies = append(cookies, name+"="+value)
	}
	return b.With("Cookie", strings.Join(cookies, "; ")).With("X-CSRFToken", b.csrf)
}

// keep stores the cookies of a response.
func (b *tab) keep(r *frameworktest.Response) {
	for _, c := range (&http.Response{Header: r.Headers()}).Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}
	b.csrf = b.cookies["csrftoken"]
}

// A clock shows the time that a test sets.
type clock struct{ at atomic.Pointer[time.Time] }

func newClock() *clock {
	c := &clock{}
	c.at.Store(new(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)))
	return c
}

func (c *clock) now() time.Time { return *c.at.Load() }

func (c *clock) turn(by time.Duration) { c.at.Store(new(c.now().Add(by))) }

// contracts are the contracts of the APIs in these tests.
var contracts = contract.Book{Unsaid: unsaid}

// unsaid are the faults of bodies that their schemas accept, because JSON Schema cannot
// express the rule.
var unsaid = map[string][]string{
	"desksHire": {"/email: email", "/password: too_short", "/name: line"}, // only its function has the rules
	"register": {
		"/email: email",            // 254 bytes, the form NFKC, and the separators of the domain
		"/password: too_short",     // in the form NFKC
		"/password: too_common",    // the list of common passwords
		"/password: same_as_email", // two members that are equal
		"/password: leaked",        // a policy of the program
		"/username: too_short", "/username: too_long", "/username: username",
	},
	"changeOwnAccount": {"/username: too_short", "/username: too_long", "/username: username", "/name: line"},
	// As in register.
	"requestPasswordReset": {"/email: email"}, "confirmPasswordReset": {"/password: too_short", "/password: too_common", "/password: same_as_email", "/password: leaked"},
	"changeOwnEmail":    {"/email: email", "/email: unchanged", "/currentPassword: wrong_password"},
	"changeOwnPassword": {"/password: too_short", "/password: too_common", "/password: same_as_email", "/password: leaked", "/currentPassword: wrong_password"},
	"deleteOwnAccount":  {"/password: wrong_password"},
	// Two members that differ.
	"login": {"/username: ambiguous"}, "createAuthToken": {"/username: ambiguous"},
	"createAuthJwt": {"/username: ambiguous"}, "createAuthSession": {"/username: ambiguous"},
}

// client serves an API. The OpenAPI document must describe its every answer.
func client(t *testing.T, api *framework.API) *frameworktest.Client {
	t.Helper()
	handler, err := api.Handler()
	must(t, err)
	return frameworktest.New(t, contracts.Of(t, "", api).Wrap(t, handler))
}

// always is a scheme that authenticates every request as one user.
type always struct{ user auth.User }

func (e always) Authenticate(*framework.Call, *http.Request) (*framework.Caller, error) {
	return &framework.Caller{ID: e.user.ID, Email: e.user.Email, Scheme: "Everybody"}, nil
}

func (always) Challenge() string { return "" }

// Security returns that a request needs no credentials.
func (always) Security(string) [][]framework.SecurityScheme {
	return [][]framework.SecurityScheme{{}}
}

// broken is a store that fails for accounts and lets all other keys pass.
type broken struct{}

func (broken) Take(_ context.Context, key string, rate throttle.Rate) (throttle.Quota, error) {
	if strings.HasPrefix(key, auth.ScopeLogin+" ") {
		return throttle.Quota{}, errors.New("the store is away")
	}
	return throttle.Quota{Limit: rate.Limit, Remaining: rate.Limit, Reset: rate.Per}, nil
}

// lives returns a setting for how long tokens live.
func lives(life time.Duration) setting {
	return func(c *auth.Config, _ *framework.Config) { c.TokenLife = life }
}
