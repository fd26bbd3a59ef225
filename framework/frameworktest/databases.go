package frameworktest

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"trestle.example/framework/frameworktest/postgres"
	"trestle.example/framework/sqldb"
)

// Databases runs a test on both databases, as the subtests "sqlite" and
// "postgresql", each with a fresh, empty database of its own that is gone when
// the subtest ends. [postgres.Database] says where PostgreSQL comes from; a
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
	at := postgres.Database(t)
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
