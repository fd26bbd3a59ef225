package frameworktest

import (
	"path/filepath"
	"testing"

	"trestle.example/framework/frameworktest/postgres"
	"trestle.example/framework/sqldb"
)

// Databases runs a test on both databases, as the subtests "sqlite" and
// "postgresql", each with a fresh, empty database of its own that is gone when
// the subtest ends. [postgres.Database] says where PostgreSQL comes from; a
// machine without it fails the test.
func Databases(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		test(t, emptyDatabase(t))
	})
	t.Run("postgresql", func(t *testing.T) {
		test(t, openAt(t, postgres.Database(t)))
	})
}

// emptyDatabase is a SQLite file in a folder of the test.
func emptyDatabase(tb testing.TB) *sqldb.DB {
	tb.Helper()
	return openAt(tb, "sqlite://"+filepath.ToSlash(filepath.Join(tb.TempDir(), "test.db")))
}

func openAt(tb testing.TB, url string) *sqldb.DB {
	tb.Helper()
	db, err := sqldb.Open(url, sqldb.Options{})
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
