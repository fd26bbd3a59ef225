package auth

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
)

// numbered returns the i-th of many hashes.
func numbered(i int) [hashLength]byte { return [hashLength]byte{byte(i), byte(i >> 8), byte(i >> 16)} }

func TestUsesAreBounded(t *testing.T) {
	s, now := newLastUses("auth_sessions", "last_seen_at"), time.Now()
	for i := range maxLastUses + 10 {
		s.note(numbered(i), now.Add(-time.Hour), now)
	}
	later := now.Add(time.Second)
	s.note(numbered(0), now.Add(-time.Hour), later)
	s.note(numbered(0), now.Add(-time.Hour), now) // out of order
	seen := s.take()
	if len(seen) != maxLastUses || !seen[numbered(0)].Equal(later) {
		t.Errorf("%d are kept", len(seen))
	}
	if len(s.take()) != 0 {
		t.Error("take returns them twice")
	}

	latest := later.Add(time.Minute)
	s.note(numbered(0), now, latest)
	s.note(numbered(maxLastUses), now, latest)
	s.restore(seen)
	seen = s.take()
	if len(seen) != maxLastUses || !seen[numbered(0)].Equal(latest) || !seen[numbered(maxLastUses)].Equal(latest) {
		t.Errorf("%d of those that could not be written are kept", len(seen))
	}
}

// A brokenContext panics when it is used.
type brokenContext struct{ context.Context }

func (brokenContext) Value(any) any { panic("broken") }

// TestAPanicLosesNoUses: uses that a panic keeps from being written wait, as after
// an error.
func TestAPanicLosesNoUses(t *testing.T) {
	onBoth(t, func(w *world) {
		s := newLastUses("auth_tokens", "last_used_at")
		s.note(numbered(1), time.Time{}, w.now)
		func() {
			defer func() {
				if recover() == nil {
					w.Error("it does not panic")
				}
			}()
			_ = s.flush(brokenContext{w.ctx}, w.db)
		}()
		if seen := s.take(); len(seen) != 1 || !seen[numbered(1)].Equal(w.now) {
			w.Errorf("%v are kept", seen)
		}
	})
}

// TestFlushWritesInOneOrderAndInParts: two processes that flush at once must not
// deadlock, and other transactions must not wait long.
func TestFlushWritesInOneOrderAndInParts(t *testing.T) {
	onBoth(t, func(w *world) {
		s := newLastUses("auth_tokens", "last_used_at")
		for i := range 2*flushAtOnce + 1 {
			s.note(numbered(i), time.Time{}, w.now)
		}
		var hashes [][]byte
		begun := 0
		w.db.Observe(func(_ context.Context, e sqldb.Event) {
			switch {
			case !e.Control:
				hashes = append(hashes, e.Args[1].([]byte))
			case e.SQL == "BEGIN":
				begun++
			}
		})
		w.must(s.flush(w.ctx, w.db))
		if len(hashes) != 2*flushAtOnce+1 || !slices.IsSortedFunc(hashes, bytes.Compare) || begun != 3 {
			w.Errorf("%d rows in %d transactions, in order: %v", len(hashes), begun, slices.IsSortedFunc(hashes, bytes.Compare))
		}
	})
}
