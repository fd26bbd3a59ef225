package throttle

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hands is a clock that a test sets.
type hands struct{ at time.Time }

func (h *hands) now() time.Time { return h.at }

func (h *hands) turn(d time.Duration) { h.at = h.at.Add(d) }

func taking(t *testing.T, m *Memory, key string, rate Rate) Quota {
	t.Helper()
	q, err := m.Take(t.Context(), key, rate)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestNoWindowEverHasMoreThanTheLimit checks the contract of a sliding window, for any
// rate and any times of arrival. It also checks that no request is rejected that could
// pass, up to the grain, and that a client that waits for Retry-After passes.
func TestNoWindowEverHasMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.OneOf(rapid.IntRange(1, 8), rapid.IntRange(90, 300)).Draw(t, "limit")
		rate := Rate{limit, time.Duration(rapid.IntRange(1, 90).Draw(t, "seconds")) * time.Second}
		clock := &hands{at: time.Date(2026, 11, 20, 10, 0, 0, rapid.IntRange(0, 999_999_999).Draw(t, "ns"), time.UTC)}
		m := &Memory{Clock: clock.now}
		usual := int64(rate.Per) / int64(limit)
		gaps := rapid.SliceOfN(rapid.OneOf(
			rapid.Just(int64(0)), rapid.Just(int64(rate.Per)), rapid.Just(int64(1)),
			rapid.Int64Range(0, usual), rapid.Int64Range(0, 3*usual), rapid.Int64Range(0, int64(rate.Per)),
		), 1, 700).Draw(t, "gaps")
		var passed []time.Time
		for _, gap := range gaps {
			clock.turn(time.Duration(gap))
			q := takeRapid(t, m, rate)
			if q.Wait == 0 {
				passed = append(passed, clock.at)
				if before := len(passed) - 1 - limit; before >= 0 && clock.at.Sub(passed[before]) < rate.Per {
					t.Fatalf("%d requests passed within %s, at a rate of %s", limit+1, clock.at.Sub(passed[before]), rate)
				}
				continue
			}
			if n := within(passed, clock.at, rate.Per+rate.Grain()); n < limit {
				t.Fatalf("rejected after only %d requests, at a rate of %s", n, rate)
			}
			if rapid.IntRange(0, 9).Draw(t, "patient") == 0 {
				clock.turn(q.Wait)
				if q := takeRapid(t, m, rate); q.Wait > 0 {
					t.Fatalf("rejected for another %s after the stated wait", q.Wait)
				}
				passed = append(passed, clock.at)
			}
		}
	})
}

func takeRapid(t *rapid.T, m *Memory, rate Rate) Quota {
	q, err := m.Take(t.Context(), "key", rate)
	switch {
	case err != nil:
		t.Fatal(err)
	case q.Limit != rate.Limit || q.Remaining < 0 || q.Remaining >= rate.Limit:
		t.Fatalf("the quota %+v does not fit the rate %s", q, rate)
	case q.Wait > 0 && (q.Remaining > 0 || q.Wait != q.Reset), q.Reset <= 0, q.Reset > rate.Per+rate.Grain():
		t.Fatalf("the quota %+v contradicts itself at the rate %s", q, rate)
	case len(m.order.Front().Value.(*entry).log) > slots+1:
		t.Fatalf("the log of one key has %d entries", len(m.order.Front().Value.(*entry).log))
	}
	return q
}

func within(passed []time.Time, now time.Time, span time.Duration) int {
	n := 0
	for _, at := range passed {
		if now.Sub(at) < span {
			n++
		}
	}
	return n
}

func TestAWindowSlides(t *testing.T) {
	t.Parallel()
	clock := &hands{at: time.Unix(0, 0)}
	m := &Memory{Clock: clock.now}
	rate := Rate{2, time.Minute}
	for _, step := range []struct {
		after time.Duration
		want  Quota
	}{
		{0, Quota{2, 1, time.Minute, 0}},
		{20 * time.Second, Quota{2, 0, 40 * time.Second, 0}},
		{10 * time.Second, Quota{2, 0, 30 * time.Second, 30 * time.Second}},
		{29 * time.Second, Quota{2, 0, time.Second, time.Second}}, // a rejected request does not count
		{time.Second, Quota{2, 0, 20 * time.Second, 0}},           // the first no longer counts
		{time.Second, Quota{2, 0, 19 * time.Second, 19 * time.Second}},
		{time.Hour, Quota{2, 1, time.Minute, 0}},
	} {
		clock.turn(step.after)
		if got := taking(t, m, "key", rate); got != step.want {
			t.Errorf("at %s: %+v; want %+v", clock.at.UTC().Format(time.TimeOnly), got, step.want)
		}
	}
}

// TestALargeLimitCountsTooLongNeverTooShort: the grain of a large limit is a hundredth of the
// window.
func TestALargeLimitCountsTooLongNeverTooShort(t *testing.T) {
	t.Parallel()
	clock := &hands{at: time.Unix(0, 0)}
	m := &Memory{Clock: clock.now}
	rate := Rate{150, 100 * time.Second}
	taking(t, m, "key", rate) // the clock of the store begins here
	clock.turn(200 * time.Millisecond)
	for range 149 {
		taking(t, m, "key", rate)
	}
	for _, step := range []struct {
		after     time.Duration
		remaining int
		wait      time.Duration
	}{
		{99_800 * time.Millisecond, 0, 0}, // the first no longer counts
		{199 * time.Millisecond, 0, 801 * time.Millisecond},
		{time.Millisecond, 0, 800 * time.Millisecond}, // one window after the others
		{800 * time.Millisecond, 148, 0},
	} {
		clock.turn(step.after)
		if q := taking(t, m, "key", rate); q.Remaining != step.remaining || q.Wait != step.wait {
			t.Errorf("after another %s: %+v; want %d remaining, a wait of %s", step.after, q, step.remaining, step.wait)
		}
	}
}

func TestKeysAndRatesAreCountedSeparately(t *testing.T) {
	t.Parallel()
	m := new(Memory)
	once := Rate{1, time.Hour}
	if taking(t, m, "a", once).Wait != 0 || taking(t, m, "a", once).Wait == 0 {
		t.Error("a key is not limited")
	}
	if taking(t, m, "b", once).Wait != 0 {
		t.Error("another key is counted with the first")
	}
	if taking(t, m, "a", Rate{1, time.Minute}).Wait != 0 {
		t.Error("another rate is counted with the first")
	}
}

func TestAClockThatGoesBackStandsStill(t *testing.T) {
	t.Parallel()
	clock := &hands{at: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	m := &Memory{Clock: clock.now}
	rate := Rate{1, time.Minute}
	taking(t, m, "key", rate)
	clock.turn(-time.Hour)
	if q := taking(t, m, "key", rate); q.Wait != time.Minute {
		t.Errorf("after an hour back the wait is %s; want 1m", q.Wait)
	}
	clock.turn(time.Hour + time.Minute)
	if q := taking(t, m, "key", rate); q.Wait != 0 {
		t.Errorf("a minute after the first the wait is %s; want none", q.Wait)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	rate := Rate{2, time.Minute}
	t.Run("the key used longest ago is forgotten", func(t *testing.T) {
		t.Parallel()
		m := &Memory{Keys: 100}
		for i := range 1000 {
			taking(t, m, strconv.Itoa(i), rate)
			if (taking(t, m, "busy", rate).Wait == 0) != (i < rate.Limit) {
				t.Fatalf("at turn %d a key that is in use was forgotten", i+1)
			}
			if len(m.keys) > 100 || m.order.Len() != len(m.keys) {
				t.Fatalf("%d keys and %d entries are kept; want at most 100", len(m.keys), m.order.Len())
			}
		}
		if taking(t, m, "999", rate).Remaining != 0 || taking(t, m, "1", rate).Remaining != 1 {
			t.Error("a recent key was forgotten, or the oldest kept")
		}
	})
	t.Run("expired keys are removed", func(t *testing.T) {
		t.Parallel()
		clock := &hands{at: time.Unix(0, 0)}
		m := &Memory{Clock: clock.now}
		for i := range 1000 {
			taking(t, m, strconv.Itoa(i), rate)
		}
		clock.turn(time.Hour)
		for i := range 1000 {
			taking(t, m, fmt.Sprintf("later %d", i), rate)
		}
		if len(m.keys) != 1000 {
			t.Errorf("%d keys are kept; want the 1000 that have not expired", len(m.keys))
		}
	})
}

func TestRequestsAtOnce(t *testing.T) {
	t.Parallel()
	m := new(Memory)
	var passed atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 500 {
				if q, err := m.Take(t.Context(), "key", Rate{1000, time.Hour}); err == nil && q.Wait == 0 {
					passed.Add(1)
				}
			}
		})
	}
	group.Wait()
	if passed.Load() != 1000 {
		t.Errorf("%d requests passed; want 1000", passed.Load())
	}
}

func BenchmarkMemory(b *testing.B) {
	for _, rate := range []Rate{{5, time.Minute}, {100, time.Minute}, {1000, time.Minute}} {
		b.Run(rate.String(), func(b *testing.B) {
			m := new(Memory)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Take(b.Context(), "key", rate); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
