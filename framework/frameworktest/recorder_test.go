package frameworktest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A recorder is a test that records failures instead of failing, so that a suite can run
// with a broken implementation.
type recorder struct {
	testing.TB

	mu       sync.Mutex
	failures []string
}

func (r *recorder) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, text)
}

func (r *recorder) Helper()                           {}
func (r *recorder) Error(args ...any)                 { r.note(fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) { r.note(fmt.Sprintf(format, args...)) }
func (r *recorder) Fatal(args ...any)                 { r.note(fmt.Sprint(args...)); runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

// failures runs a check and returns its failures.
func failures(t *testing.T, check func(tb testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return strings.Join(r.failures, "\n")
}

// wantFailure checks that a suite finds a broken implementation, for the right reason.
func wantFailure(t *testing.T, want string, check func(tb testing.TB)) {
	t.Helper()
	if got := failures(t, check); !strings.Contains(got, want) {
		t.Errorf("the failures are %.2000q; want one with %q", got, want)
	}
}
