package fair_test

import (
	"testing"
	"time"

	"trestle.example/framework/internal/fair"
)

// TestLast: the waits of a request share a limit of time; those of a stream do not.
func TestLast(t *testing.T) {
	q := fair.New(fair.Options{Slots: 1, Timeout: 10 * time.Second, Depth: 1})
	ctx := fair.With(t.Context(), fair.Client{Address: "192.0.2.1"})
	expect := func(want time.Duration) {
		t.Helper()
		if left, limited := q.Left(ctx); left != want || !limited {
			t.Errorf("the request may wait for %s, limited %t; want %s", left, limited, want)
		}
	}
	fair.Waited(ctx, 4*time.Second)
	expect(6 * time.Second)
	fair.Last(ctx)
	expect(10 * time.Second)
	fair.Waited(ctx, 9*time.Second)
	expect(10 * time.Second)
}
