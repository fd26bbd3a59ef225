package frameworktest

import (
	"os"
	"testing"
)

// TestTheFileOfAccesses: the first proof writes the file, and the next ones compare the access of
// callers with it.
func TestTheFileOfAccesses(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("CI", "true")
	wantFailure(t, "is missing", func(tb testing.TB) { compareMatrix(tb, "GET  /api/notes/  refused\n") })
	t.Setenv("CI", "")
	const known, now = "GET  /api/notes/  refused  scoped\nGET  /api/tags/  scoped\n", "GET  /api/notes/  allowed  scoped\nGET  /api/tags/   scoped\n"
	compareMatrix(t, known)
	if written, err := os.ReadFile(ProofMatrix); err != nil || string(written) != known {
		t.Fatalf("the file is %q, %v", written, err)
	}
	compareMatrix(t, known)
	compareMatrix(t, "GET  /api/tags/  scoped\nGET  /api/notes/  refused  scoped\n") // the viewsets are registered in another order
	for _, want := range []string{"had: GET /api/notes/ refused scoped", "now: GET /api/notes/ allowed scoped", "delete " + ProofMatrix} {
		wantFailure(t, want, func(tb testing.TB) { compareMatrix(tb, now) })
	}
}
