package prove_test

import (
	"hash/fnv"
	"net/http"
	"os"
	"slices"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
	"trestle.example/internal/proving"
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
		if db.Kind() != only && !proving.On() {
			t.Skipf("it runs on %s; TRESTLE_PROVE=1 runs it on both databases", only)
		}
		test(t, db)
	})
}

// onlyInStage skips a test of large servers, which takes minutes beside other tests, unless the stage isolation-faults of make prove runs it.
func onlyInStage(t *testing.T) {
	t.Helper()
	proving.Only(t, "takes minutes; the stage isolation-faults runs it")
}

// A server is one of a program, and correct if a proof finds nothing.
type server struct {
	name      string
	resources []framework.Resource
	change    func(*sqldb.DB) func(*guests, http.Handler) http.Handler // changes the handler of the program; nil leaves it
	found     [][2]string                                              // the endpoint and a part of the sentence of each finding
}

// proveServers proves servers, each on a database with some tables.
func proveServers(t *testing.T, all []server, m sqldb.Migrations, more ...sqldb.Migrations) {
	t.Helper()
	for _, one := range all {
		t.Run(one.name, func(t *testing.T) {
			onDatabases(t, m, func(t *testing.T, db *sqldb.DB) {
				if err := db.Migrate(t.Context(), nil, more...); err != nil {
					t.Fatal(err)
				}
				var change func(*guests, http.Handler) http.Handler
				if one.change != nil {
					change = one.change(db)
				}
				report := prove(t, db, change, one.resources...)
				for _, found := range one.found {
					finds(t, report, found[0], found[1])
				}
				if all := slices.Concat(report.Findings, report.Unexercised); one.found == nil && len(all) > 0 {
					t.Errorf("the findings are %v; want none", all)
				}
			})
		})
	}
}
