package prove_test

import (
	"hash/fnv"
	"os"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestMain gives the proofs a PostgreSQL of their own: a proof reads the database again whenever any test has committed on
// the server, and the tests of other packages do all the time.
func TestMain(m *testing.M) {
	_ = os.Unsetenv("TEST_DATABASE_URL")
	os.Exit(m.Run())
}

// onDatabases runs the test of a server without faults on both databases. That of a server with faults runs on one of them, which the
// name of the test chooses: requests find the fault, and each server takes seconds. TRESTLE_PROVE=1 runs all on both, as the stage
// isolation-faults of make prove does.
func onDatabases(t *testing.T, faulty bool, m sqldb.Migrations, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	name := fnv.New32a()
	_, _ = name.Write([]byte(t.Name()))
	only := []sqldb.Kind{sqldb.SQLite, sqldb.PostgreSQL}[name.Sum32()%2]
	apitest.Databases(t, m, func(t *testing.T, db *sqldb.DB) {
		if faulty && db.Kind() != only && os.Getenv("TRESTLE_PROVE") == "" {
			t.Skipf("%s has this fault; TRESTLE_PROVE=1 runs it on both databases", only)
		}
		test(t, db)
	})
}
