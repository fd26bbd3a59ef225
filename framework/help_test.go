package framework_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// both runs a test on a fresh library in SQLite and in PostgreSQL.
func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		migrated(t, db)
		test(t, db)
	})
}

// sqlite is a fresh library in a file, for what has nothing to do with rows.
func sqlite(tb testing.TB) *sqldb.DB {
	tb.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.Join(tb.TempDir(), "test.db"), sqldb.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	migrated(tb, db)
	return db
}

func migrated(tb testing.TB, db *sqldb.DB) {
	tb.Helper()
	if err := db.Migrate(context.Background(), nil, librarySchema); err != nil {
		tb.Fatal(err)
	}
}

// The callers of every test: Ada and Bob have rows of their own, Eve looks on,
// Vic may view and Max may change the books of all, Root holds every permission.
var callers = map[string]*framework.Caller{
	"ada":  {ID: uuid.MustParse("00000000-0000-7000-8000-00000000000a"), Name: "Ada"},
	"bob":  {ID: uuid.MustParse("00000000-0000-7000-8000-00000000000b"), Name: "Bob"},
	"eve":  {ID: uuid.MustParse("00000000-0000-7000-8000-00000000000e"), Name: "Eve", Staff: true},
	"vic":  {ID: uuid.MustParse("00000000-0000-7000-8000-00000000000f"), Name: "Vic", Permissions: map[string]bool{"books.view": true}},
	"max":  {ID: uuid.MustParse("00000000-0000-7000-8000-000000000010"), Name: "Max", Permissions: map[string]bool{"books.view": true, "books.change": true}},
	"root": {ID: uuid.MustParse("00000000-0000-7000-8000-000000000011"), Name: "Root", Superuser: true},
}

// idOf is the id of one of the callers.
func idOf(name string) uuid.UUID { return callers[name].ID.(uuid.UUID) }

// names is an authenticator of the tests' own: "Authorization: Name ada".
type names struct{}

func (names) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Name ")
	if !ok {
		return nil, nil
	}
	if caller := callers[name]; caller != nil {
		return caller, nil
	}
	return nil, framework.InvalidCredentials("Nobody has this name.")
}

func (names) Challenge() string { return `Name realm="library"` }

// config is a configuration in which everything is settled but the resources.
func config(db *sqldb.DB) framework.Config {
	return framework.Config{
		DB: db, Authentication: []framework.Authenticator{names{}}, Pagination: page.Number{Size: 3},
		Log: slog.New(slog.DiscardHandler),
	}
}

// serve registers resources and serves them by HTTP.
func serve(tb testing.TB, c framework.Config, resources ...framework.Resource) *client {
	tb.Helper()
	api := framework.New(c)
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		tb.Fatal(err)
	}
	sent := frameworktest.New(tb, handler)
	return &client{Client: sent, tb: tb, url: sent.URL()}
}

// A client sends requests as one caller and answers with what these tests ask
// of a response.
type client struct {
	*frameworktest.Client
	tb     testing.TB
	url    string
	caller string
}

// as returns the client of a caller; "" is anonymous.
func (c *client) as(name string) *client {
	other := *c
	other.caller = name
	if name != "" {
		name = "Name " + name
	}
	other.Client = c.With("Authorization", name)
	return &other
}

// in returns the client in a subtest.
func (c *client) in(tb testing.TB) *client {
	other := *c
	other.tb, other.Client = tb, c.On(tb)
	return &other
}

// with returns the client with one header more.
func (c *client) with(name, value string) *client {
	other := *c
	other.Client = c.With(name, value)
	return &other
}

func (c *client) get(path string) *answer             { return c.do("GET", path, nil) }
func (c *client) post(path string, body any) *answer  { return c.do("POST", path, body) }
func (c *client) put(path string, body any) *answer   { return c.do("PUT", path, body) }
func (c *client) patch(path string, body any) *answer { return c.do("PATCH", path, body) }
func (c *client) delete(path string) *answer          { return c.do("DELETE", path, nil) }

// do sends a request: text goes as it is, anything else as JSON.
func (c *client) do(method, path string, body any) *answer {
	c.tb.Helper()
	r := c.Do(method, path, body)
	return &answer{tb: c.tb, response: r, asked: method + " " + path, status: r.Status(), header: r.Headers(), body: r.Body()}
}

// An answer is a response, with what is expected of it.
type answer struct {
	tb       testing.TB
	response *frameworktest.Response
	asked    string
	status   int
	header   http.Header
	body     string
}

func (a *answer) failf(format string, args ...any) {
	a.tb.Helper()
	a.tb.Errorf("%s\n%d %s\n"+format, append([]any{a.asked, a.status, a.body}, args...)...)
}

func (a *answer) is(status int) *answer {
	a.tb.Helper()
	a.response.Expect(status)
	return a
}

// fault expects one fault, by its pointer or parameter.
func (a *answer) fault(place, code string) *answer {
	a.tb.Helper()
	a.response.Fault(place, code)
	return a
}

func (a *answer) says(texts ...string) *answer {
	a.tb.Helper()
	a.response.Contains(texts...)
	return a
}

func (a *answer) lacks(texts ...string) {
	a.tb.Helper()
	a.response.Lacks(texts...)
}

// head expects a header; "" for none.
func (a *answer) head(name, want string) *answer {
	a.tb.Helper()
	a.response.Header(name, want)
	return a
}

// refuses expects a problem with a status and a code.
func (a *answer) refuses(status int, code string) *answer {
	a.tb.Helper()
	a.is(status)
	var p problem
	if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Code != code || p.Status != status {
		a.failf("want code %q and status %d in the body", code, status)
	}
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		a.failf("want a problem, not %q", got)
	}
	return a
}

func (a *answer) json(into any) {
	a.tb.Helper()
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		a.failf("%v", err)
	}
}

// object is the body as a JSON object.
func (a *answer) object() map[string]any {
	a.tb.Helper()
	var o map[string]any
	a.json(&o)
	return o
}

// id is the member id of the body.
func (a *answer) id() string {
	a.tb.Helper()
	id, _ := a.object()["id"].(string)
	if id == "" {
		a.failf("want a member id")
	}
	return id
}

func (a *answer) problem() problem {
	a.tb.Helper()
	var p problem
	a.json(&p)
	return p
}

type problem struct {
	Type, Title, Detail, Code, Instance string
	Status                              int
	Errors                              []framework.Fault
	Details                             map[string]any
}

// list is a page as package page's Number shapes it.
type list struct {
	Count    *int64
	Next     *string
	Previous *string
	Results  []map[string]any
}

func (a *answer) list() list {
	a.tb.Helper()
	var l list
	if a.is(200).json(&l); l.Count == nil {
		a.failf("want a list")
		l.Count = new(int64)
	}
	return l
}

// values are one member of each row of a list.
func (l list) values(name string) []any {
	values := []any{}
	for _, row := range l.Results {
		values = append(values, row[name])
	}
	return values
}

// statements expects fn to cause so many of them.
func statements(tb testing.TB, c *frameworktest.Counter, want int, fn func()) {
	tb.Helper()
	if got := c.During(fn); len(got) != want {
		tb.Errorf("want %d statements, got %d:\n%s", want, len(got), strings.Join(got, "\n"))
	}
}

// forgetCounts commits a change to a SQLite file, so that no count of it is remembered.
// On PostgreSQL a count is one statement in any case.
func forgetCounts(tb testing.TB, db *sqldb.DB) {
	tb.Helper()
	if db.Kind() == sqldb.PostgreSQL {
		return
	}
	var version int
	err := db.QueryRow("PRAGMA user_version").Scan(&version)
	if err == nil {
		_, err = db.Exec(fmt.Sprintf("PRAGMA user_version = %d", version+1))
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// missingPlus is a fixed id that no row of the API's own making has.
func missingPlus(n byte) uuid.UUID {
	id := uuid.MustParse(missing)
	id[8] = 0x90 + n
	return id
}
