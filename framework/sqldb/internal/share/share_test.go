package share

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A held read runs until it is let go.
type heldRead struct {
	began chan context.Context
	end   chan error
	runs  atomic.Int64
}

func newHeldRead() *heldRead {
	return &heldRead{began: make(chan context.Context), end: make(chan error)}
}

func (h *heldRead) run(ctx context.Context) (*int64, error) {
	n := h.runs.Add(1)
	h.began <- ctx
	if err := <-h.end; err != nil {
		return nil, err
	}
	return &n, nil
}

// waiters waits until so many wait for the next round.
func (s *Group[T]) waiters(t *testing.T, key Key, want int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d wait", want), func() bool { return s.Waiting(key) == want })
}

// forgets waits until no execution runs and no read waits.
func (s *Group[T]) forgets(t *testing.T) {
	t.Helper()
	eventually(t, "no key is left", func() bool { return s.Running() == 0 })
}

// sendAll sends n reads at once and returns the result of each.
func sendAll(ctx context.Context, s *Group[*int64], n int, run func(context.Context) (*int64, error)) func() []string {
	answers := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			r, err := s.Do(ctx, Key{}, "", func(ctx context.Context, _ []string) (*int64, error) { return run(ctx) })
			if err != nil {
				answers[i] = err.Error()
				return
			}
			answers[i] = strconv.FormatInt(*r, 10)
		})
	}
	return func() []string { all.Wait(); return answers }
}

func TestSharedReads(t *testing.T) {
	t.Run("who asks while one runs shares the next, and only that", func(t *testing.T) {
		var s Group[*int64]
		h := newHeldRead()
		first := sendAll(t.Context(), &s, 1, h.run)
		<-h.began
		second := sendAll(t.Context(), &s, 20, h.run)
		s.waiters(t, Key{}, 20)
		h.end <- nil
		<-h.began
		third := sendAll(t.Context(), &s, 5, h.run)
		s.waiters(t, Key{}, 5)
		h.end <- nil
		<-h.began
		h.end <- nil
		for want, answers := range map[string][]string{"1": first(), "2": second(), "3": third()} {
			for _, got := range answers {
				if got != want {
					t.Errorf("the answers of round %s are %v", want, answers)
				}
			}
		}
		s.forgets(t)
	})
	t.Run("a round that all its members have left is not run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var s Group[*int64]
			h := newHeldRead()
			first := sendAll(t.Context(), &s, 1, h.run)
			<-h.began
			ctx, cancel := context.WithCancel(t.Context())
			second := sendAll(ctx, &s, 2, h.run)
			synctest.Wait()
			cancel()
			second()
			h.end <- nil
			first()
			s.forgets(t)
			if n := h.runs.Load(); n != 1 {
				t.Errorf("%d ran; want the first alone", n)
			}
		})
	})
	t.Run("an error of a shared read is nobody's: each runs by itself", func(t *testing.T) {
		var s Group[*int64]
		h := newHeldRead()
		first := sendAll(t.Context(), &s, 1, h.run)
		<-h.began
		others := sendAll(t.Context(), &s, 3, h.run)
		s.waiters(t, Key{}, 3)
		h.end <- errors.New("of the first alone")
		<-h.began
		h.end <- errors.New("of the round")
		for range 3 {
			<-h.began
			h.end <- nil
		}
		if got := first(); got[0] != "of the first alone" {
			t.Errorf("the first is told %v", got)
		}
		for _, got := range others() {
			if got != "3" && got != "4" && got != "5" {
				t.Errorf("one who shared is told %q", got)
			}
		}
	})
	t.Run("a database that is away is everybody's error at once", func(t *testing.T) {
		var s Group[*int64]
		h := newHeldRead()
		first := sendAll(t.Context(), &s, 1, h.run)
		<-h.began
		others := sendAll(t.Context(), &s, 3, h.run)
		s.waiters(t, Key{}, 3)
		h.end <- nil
		<-h.began
		h.end <- context.DeadlineExceeded
		first()
		for _, got := range others() {
			if got != context.DeadlineExceeded.Error() {
				t.Errorf("one who shared is told %q", got)
			}
		}
	})
	t.Run("one who has waited long enough runs by itself", func(t *testing.T) {
		var s Group[*int64]
		h := newHeldRead()
		first := sendAll(t.Context(), &s, 1, h.run)
		<-h.began
		other := sendAll(t.Context(), &s, 1, h.run)
		<-h.began // though the first has not ended, or the test hangs
		h.end <- nil
		h.end <- nil
		first()
		other()
		s.forgets(t)
		if n := h.runs.Load(); n != 2 {
			t.Errorf("%d ran", n)
		}
	})
	t.Run("one who goes leaves the others their answer", func(t *testing.T) {
		var s Group[*int64]
		h := newHeldRead()
		first := sendAll(t.Context(), &s, 1, h.run)
		<-h.began
		ctx, cancel := context.WithCancel(t.Context())
		gone := sendAll(ctx, &s, 1, h.run)
		s.waiters(t, Key{}, 1)
		stays := sendAll(t.Context(), &s, 1, h.run)
		s.waiters(t, Key{}, 2)
		cancel()
		if got := gone(); got[0] != context.Canceled.Error() {
			t.Errorf("who went is told %v", got)
		}
		h.end <- nil
		round := <-h.began
		if round.Err() != nil {
			t.Error("the round ended with one of those who waited")
		}
		h.end <- nil
		if first()[0] != "1" || stays()[0] != "2" {
			t.Error("those who stayed are not answered")
		}
	})
	t.Run("the last who goes ends the statement", func(t *testing.T) {
		var s Group[*int64]
		h := newHeldRead()
		first := sendAll(t.Context(), &s, 1, h.run)
		<-h.began
		ctx, cancel := context.WithCancel(t.Context())
		others := sendAll(ctx, &s, 2, h.run)
		s.waiters(t, Key{}, 2)
		h.end <- nil
		round := <-h.began
		cancel()
		<-round.Done() // or the test hangs
		h.end <- round.Err()
		first()
		others()
	})
	t.Run("if all who waited went, nobody runs for them", func(t *testing.T) {
		var s Group[*int64]
		h := newHeldRead()
		first := sendAll(t.Context(), &s, 1, h.run)
		<-h.began
		ctx, cancel := context.WithCancel(t.Context())
		others := sendAll(ctx, &s, 2, h.run)
		s.waiters(t, Key{}, 2)
		cancel()
		others()
		h.end <- nil
		first()
		s.forgets(t)
		if n := h.runs.Load(); n != 1 {
			t.Errorf("%d ran", n)
		}
	})
	t.Run("a panic of a shared read ends no process", func(t *testing.T) {
		var s Group[*int64]
		h := newHeldRead()
		first := sendAll(t.Context(), &s, 1, h.run)
		<-h.began
		var tries atomic.Int64
		others := sendAll(t.Context(), &s, 1, func(context.Context) (*int64, error) {
			if tries.Add(1) == 1 {
				panic("no")
			}
			return nil, errors.New("by itself")
		})
		s.waiters(t, Key{}, 1)
		h.end <- nil
		first()
		if got := others(); got[0] != "by itself" {
			t.Errorf("told %v", got)
		}
	})
}

// TestShareKeys: values that differ in anything are never taken for equal.
func TestShareKeys(t *testing.T) {
	seen := map[Key][]any{}
	for _, values := range [][]any{
		{}, {nil}, {""}, {"a"}, {"a", ""}, {"", "a"}, {"a", "a"}, {"aa"}, {[]byte("a")}, {[]byte(nil)}, {[]byte{}}, {int64(1)}, {"1"}, {float64(1)}, {true}, {"true"}, {false},
		{int64(-1)}, {math.NaN()}, {math.Inf(1)}, {"s1:a"}, {"a\x00s1:b"}, {"a", "b"}, {nil, nil}, {time.Unix(0, 0).UTC()}, {time.Unix(0, 1).UTC()}, {int64(10)}, {int64(1), int64(0)},
	} {
		key := KeyOf("text", values)
		if other, known := seen[key]; known {
			t.Errorf("%#v and %#v have the key %q", values, other, key)
		}
		seen[key] = values
	}
	if KeyOf("a", []any{int64(1)}) == KeyOf("b", []any{int64(1)}) {
		t.Error("two statements have one key")
	}
}

// eventually looks again and again until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for range 10_000 {
		if so() {
			return
		}
		<-time.After(time.Millisecond)
	}
	t.Fatalf("it is never so that %s", what)
}
