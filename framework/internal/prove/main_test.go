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

// onDatabases runs a test on one of the databases, which its name chooses: requests find a fault, and each proof takes seconds.
// TRESTLE_PROVE=1 runs all on both, as the stage isolation-faults of make prove does. The proofs of the largest programs, those of the
// product and the examples among them, always run on both.
func onDatabases(t *testing.T, m sqldb.Migrations, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	name := fnv.New32a()
	_, _ = name.Write([]byte(t.Name()))
	only := []sqldb.Kind{sqldb.SQLite, sqldb.PostgreSQL}[name.Sum32()%2]
	apitest.Databases(t, m, func(t *testing.T, db *sqldb.DB) {
		if db.Kind() != only && os.Getenv("TRESTLE_PROVE") == "" {
			t.Skipf("it runs on %s; TRESTLE_PROVE=1 runs it on both databases", only)
		}
		test(t, db)
	})
}
