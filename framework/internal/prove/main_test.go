package prove_test

import (
	"os"
	"testing"
)

// TestMain gives the proofs a PostgreSQL of their own: a proof reads the database again whenever any test has committed on
// the server, and the tests of other packages do all the time.
func TestMain(m *testing.M) {
	_ = os.Unsetenv("TEST_DATABASE_URL")
	os.Exit(m.Run())
}
