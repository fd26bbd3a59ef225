package frameworktest

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// Databases runs a test on both databases, as the subtests "sqlite" and "postgresql".
// Each subtest gets its own fresh, empty database, which is removed when it ends.
// [PostgresURL] documents which PostgreSQL is used. If the machine has none, the test
// fails; "go test -run /sqlite ./..." leaves it out. Set TEST_PREPARE=off if
// TEST_DATABASE_URL is the address of a pooler in transaction mode.
func Databases(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		test(t, emptyDatabase(t))
	})
	t.Run("postgresql", func(t *testing.T) {
		test(t, postgresDatabase(t))
	})
}

// PostgresURL returns the URL of a fresh, empty PostgreSQL database for one test. It is
// on the server that TEST_DATABASE_URL names, whose user must be allowed to create
// databases. If that variable is unset or blank, it is on a private server that the first
// call starts for the whole process from the installed PostgreSQL 15 or newer.
//
// The database is dropped when the test ends, even if clients are still connected. If the
// server cannot be reached, or no PostgreSQL is installed, the test fails at once with
// the reason. PostgresURL is safe for concurrent use.
func PostgresURL(tb testing.TB) string {
	tb.Helper()
	return postgres.Database(tb)
}

// postgresDatabase opens a database for the test. If there is none, it logs what to do.
func postgresDatabase(t *testing.T) *sqldb.DB {
	t.Helper()
	had := false
	defer func() {
		if !had {
			t.Log("without PostgreSQL: \"go test -run /sqlite ./...\" runs the tests on SQLite alone; " +
				"TEST_DATABASE_URL=postgres://user:password@host:5432/postgres names a server whose user may create databases")
		}
	}()
	at := PostgresURL(t)
	had = true
	return openWith(t, at, sqldb.Options{NoPrepare: os.Getenv("TEST_PREPARE") == "off"})
}

// emptyDatabase opens a SQLite file in a folder of the test.
func emptyDatabase(tb testing.TB) *sqldb.DB {
	tb.Helper()
	at := url.URL{Scheme: "sqlite", Path: filepath.ToSlash(filepath.Join(tb.TempDir(), "test.db"))} // the name of a subtest may contain #
	return openAt(tb, at.String())
}

func openAt(tb testing.TB, at string) *sqldb.DB {
	tb.Helper()
	return openWith(tb, at, sqldb.Options{})
}

func openWith(tb testing.TB, at string, o sqldb.Options) *sqldb.DB {
	tb.Helper()
	o.QueueTimeout = time.Minute // so that a busy machine does not fail a test
	db, err := sqldb.Open(at, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("closing the test's database: %v", err)
		}
	})
	return db
}
