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

// Databases runs a test on both databases, as the subtests "sqlite" and
// "postgresql", each with a fresh, empty database of its own that is gone when
// the subtest ends. [PostgresURL] says where PostgreSQL comes from; a
// machine without it fails the test, which "go test -run /sqlite ./..." leaves
// out. TEST_PREPARE=off is for a TEST_DATABASE_URL that leads to a pooler which
// gives a connection to each transaction.
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
// databases. If that variable is unset or blank, it is on a private server that the
// first call starts for the whole process from the installed PostgreSQL 13 or newer.
//
// The database is dropped when the test ends, even if clients are still connected. If
// the server cannot be reached, or no PostgreSQL is installed, the test fails at once
// with the reason. PostgresURL is safe for concurrent use.
func PostgresURL(tb testing.TB) string {
	tb.Helper()
	return postgres.Database(tb)
}

// postgresDatabase is a database of the test; where there is none to be had it
// names the ways out.
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

// emptyDatabase is a SQLite file in a folder of the test.
func emptyDatabase(tb testing.TB) *sqldb.DB {
	tb.Helper()
	at := url.URL{Scheme: "sqlite", Path: filepath.ToSlash(filepath.Join(tb.TempDir(), "test.db"))} // a subtest's name may have a # in it
	return openAt(tb, at.String())
}

func openAt(tb testing.TB, at string) *sqldb.DB {
	tb.Helper()
	return openWith(tb, at, sqldb.Options{})
}

func openWith(tb testing.TB, at string, o sqldb.Options) *sqldb.DB {
	tb.Helper()
	o.QueueTimeout = time.Minute // a busy machine decides no test
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
