// Package apitest serves APIs to the tests of the framework's packages.
package apitest

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// Names is an authenticator: "Authorization: Name ann" is the caller ann, whose id is ID("ann"). The
// caller "staff" belongs to staff. The value lists the permissions of each caller.
type Names map[string][]string

const scheme = "Name"

// Authenticate implements [framework.Authenticator].
func (n Names) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	name, found := strings.CutPrefix(r.Header.Get("Authorization"), scheme+" ")
	if !found || name == "" {
		return nil, nil
	}
	permissions := map[string]bool{}
	for _, permission := range n[name] {
		permissions[permission] = true
	}
	return &framework.Caller{ID: ID(name), Name: name, Staff: name == "staff", Permissions: permissions}, nil
}

// Challenge implements [framework.Authenticator].
func (Names) Challenge() string { return scheme + ` realm="tests"` }

// ID is the id that belongs to a name: the same for each call, and different for each name.
func ID(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)) }

// As returns a client that sends the credentials of a caller. For "" it is c, without credentials.
func As(c *frameworktest.Client, caller string) *frameworktest.Client {
	if caller == "" {
		return c
	}
	return c.With("Authorization", scheme+" "+caller)
}

// Config is a configuration with [Names], whose lists have 100 rows. It logs nothing.
func Config(db *sqldb.DB) framework.Config {
	return framework.Config{
		DB: db, Permission: framework.Anyone(), Authentication: []framework.Authenticator{Names{}}, Pagination: page.Number{Size: 100},
		Log: slog.New(slog.DiscardHandler),
	}
}

// Serve serves resources. Each request and answer is compared with the OpenAPI document.
func Serve(tb testing.TB, c framework.Config, resources ...framework.Resource) (*framework.API, *frameworktest.Client) {
	tb.Helper()
	api := framework.New(c)
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		tb.Fatal(err)
	}
	text, err := api.Document("json")
	if err != nil {
		tb.Fatal(err)
	}
	promised, err := contract.New(text)
	if err != nil {
		tb.Fatal(err)
	}
	return api, frameworktest.New(tb, promised.Wrap(tb, handler))
}

// Mistake checks that the resources are rejected at start with a message that has a text.
func Mistake(tb testing.TB, c framework.Config, want string, resources ...framework.Resource) {
	tb.Helper()
	api := framework.New(c)
	api.Register(resources...)
	if err := api.Check(); err == nil || !strings.Contains(err.Error(), want) {
		tb.Errorf("the mistake is %v; want %s", err, want)
	}
}

// Databases runs a test on a new database of each kind, after the migrations.
func Databases(t *testing.T, m sqldb.Migrations, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, m, framework.Migrations()); err != nil {
			t.Fatal(err)
		}
		test(t, db)
	})
}

// Insert stores rows as they are.
func Insert(tb testing.TB, db *sqldb.DB, rows ...any) {
	tb.Helper()
	for _, row := range rows {
		if _, err := db.NewInsert().Model(row).Exec(tb.Context()); err != nil {
			tb.Fatal(err)
		}
	}
}

// Count is the number of rows of a table.
func Count(tb testing.TB, db *sqldb.DB, table string) (n int) {
	tb.Helper()
	if err := db.NewSelect().Table(table).ColumnExpr("count(*)").Scan(tb.Context(), &n); err != nil {
		tb.Fatal(err)
	}
	return n
}

// History returns all entries of histories that are stored, the oldest first. It waits until none of them is held back: on
// PostgreSQL a transaction of another test, in any database of the cluster, may hold them back.
func History(tb testing.TB, db *sqldb.DB) (all []framework.HistoryEvent) {
	tb.Helper()
	stored := Count(tb, db, "row_history")
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		var err error
		if all, _, err = framework.FollowHistory(tb.Context(), db, "", stored+1); err != nil {
			tb.Fatal(err)
		}
		if len(all) == stored {
			return all
		}
	}
	tb.Fatalf("%d of %d entries can be followed within a minute", len(all), stored)
	return nil
}
