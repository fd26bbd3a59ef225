package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
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

func (h *heldRead) run(ctx context.Context) (*Result, error) {
	n := h.runs.Add(1)
	h.began <- ctx
	if err := <-h.end; err != nil {
		return nil, err
	}
	return &Result{columns: 1, values: []driver.Value{n}}, nil
}

// waiters waits until so many wait for the next round.
func (s *shares[T]) waiters(t *testing.T, key shareKey, want int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d wait", want), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		e := s.running[key]
		return want == 0 && (e == nil || e.next == nil) || e != nil && e.next != nil && len(e.next.members) == want
	})
}

// forgets waits until nothing runs and nobody waits.
func (s *shares[T]) forgets(t *testing.T) {
	t.Helper()
	eventually(t, "no key is left", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.running) == 0
	})
}

// asks sends so many at once and returns what each is answered.
func asks(ctx context.Context, s *shares[*Result], n int, run func(context.Context) (*Result, error)) func() []string {
	answers := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			r, err := s.do(ctx, shareKey{}, "", func(ctx context.Context, _ []string) (*Result, error) { return run(ctx) })
			if err != nil {
				answers[i] = err.Error()
				return
			}
			answers[i] = fmt.Sprint(r.Row(0)[0])
		})
	}
	return func() []string { all.Wait(); return answers }
}

func TestSharedReads(t *testing.T) {
	t.Run("who asks while one runs shares the next, and only that", func(t *testing.T) {
		var s shares[*Result]
		h := newHeldRead()
		first := asks(t.Context(), &s, 1, h.run)
		<-h.began
		second := asks(t.Context(), &s, 20, h.run)
		s.waiters(t, shareKey{}, 20)
		h.end <- nil
		<-h.began
		third := asks(t.Context(), &s, 5, h.run)
		s.waiters(t, shareKey{}, 5)
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
			var s shares[*Result]
			h := newHeldRead()
			first := asks(t.Context(), &s, 1, h.run)
			<-h.began
			ctx, cancel := context.WithCancel(t.Context())
			second := asks(ctx, &s, 2, h.run)
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
		var s shares[*Result]
		h := newHeldRead()
		first := asks(t.Context(), &s, 1, h.run)
		<-h.began
		others := asks(t.Context(), &s, 3, h.run)
		s.waiters(t, shareKey{}, 3)
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
		var s shares[*Result]
		h := newHeldRead()
		first := asks(t.Context(), &s, 1, h.run)
		<-h.began
		others := asks(t.Context(), &s, 3, h.run)
		s.waiters(t, shareKey{}, 3)
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
		var s shares[*Result]
		h := newHeldRead()
		first := asks(t.Context(), &s, 1, h.run)
		<-h.began
		other := asks(t.Context(), &s, 1, h.run)
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
		var s shares[*Result]
		h := newHeldRead()
		first := asks(t.Context(), &s, 1, h.run)
		<-h.began
		ctx, cancel := context.WithCancel(t.Context())
		gone := asks(ctx, &s, 1, h.run)
		s.waiters(t, shareKey{}, 1)
		stays := asks(t.Context(), &s, 1, h.run)
		s.waiters(t, shareKey{}, 2)
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
		var s shares[*Result]
		h := newHeldRead()
		first := asks(t.Context(), &s, 1, h.run)
		<-h.began
		ctx, cancel := context.WithCancel(t.Context())
		others := asks(ctx, &s, 2, h.run)
		s.waiters(t, shareKey{}, 2)
		h.end <- nil
		round := <-h.began
		cancel()
		<-round.Done() // or the test hangs
		h.end <- round.Err()
		first()
		others()
	})
	t.Run("if all who waited went, nobody runs for them", func(t *testing.T) {
		var s shares[*Result]
		h := newHeldRead()
		first := asks(t.Context(), &s, 1, h.run)
		<-h.began
		ctx, cancel := context.WithCancel(t.Context())
		others := asks(ctx, &s, 2, h.run)
		s.waiters(t, shareKey{}, 2)
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
		var s shares[*Result]
		h := newHeldRead()
		first := asks(t.Context(), &s, 1, h.run)
		<-h.began
		var tries atomic.Int64
		others := asks(t.Context(), &s, 1, func(context.Context) (*Result, error) {
			if tries.Add(1) == 1 {
				panic("no")
			}
			return nil, errors.New("by itself")
		})
		s.waiters(t, shareKey{}, 1)
		h.end <- nil
		first()
		if got := others(); got[0] != "by itself" {
			t.Errorf("told %v", got)
		}
	})
}

// TestShareKeys: values that differ in anything are never taken for equal.
func TestShareKeys(t *testing.T) {
	seen := map[shareKey][]any{}
	for _, values := range [][]any{
		{}, {nil}, {""}, {"a"}, {"a", ""}, {"", "a"}, {"a", "a"}, {"aa"}, {[]byte("a")}, {[]byte(nil)}, {[]byte{}}, {int64(1)}, {"1"}, {float64(1)}, {true}, {"true"}, {false},
		{int64(-1)}, {math.NaN()}, {math.Inf(1)}, {"s1:a"}, {"a\x00s1:b"}, {"a", "b"}, {nil, nil}, {time.Unix(0, 0).UTC()}, {time.Unix(0, 1).UTC()}, {int64(10)}, {int64(1), int64(0)},
	} {
		key := shareKeyOf("text", values)
		if other, known := seen[key]; known {
			t.Errorf("%#v and %#v have the key %q", values, other, key)
		}
		seen[key] = values
	}
	if shareKeyOf("a", []any{int64(1)}) == shareKeyOf("b", []any{int64(1)}) {
		t.Error("two statements have one key")
	}
}

func TestWhatIsShared(t *testing.T) {
	for text, want := range map[string]bool{
		`SELECT 1`: true,
		`SELECT a FROM t WHERE b LIKE $1 ESCAPE '\'`: true,
		"SELECT random/**/()":                        false,
		"SELECT E'\\'', random(), '\\''":             false,
		"SELECT $$'$$, random(), $$'$$":              false,
		"SELECT `a'`, random(), `b'`":                false,
		"SELECT 1 -- '\n, random() -- '":             false,
		"SELECT myschema.trim(1)":                    false,
		"SELECT \"t\".trim(1)":                       false,
		"SELECT a, (SELECT 2) FROM t":                true,
		"SELECT 1; SELECT 2":                         false,
		"":                                           false,
		`SELECT "a"."id" FROM "a" WHERE ("a"."id" = $1) AND ("x" IN (SELECT "id" FROM "b"))`: true,
		`SELECT count(*) FROM (SELECT 1 FROM "t" LIMIT $1) AS capped`:                        true,
		`SELECT COUNT (*) FROM t WHERE lower(name) LIKE $1`:                                  true,
		`WITH matched AS MATERIALIZED (SELECT 1) SELECT * FROM matched`:                      true,
		`SELECT 'random() FOR UPDATE' FROM "for"`:                                            true,
		`SELECT a FROM t ORDER BY CASE WHEN (a = 1) THEN 1 END`:                              true,
		`select trestle_fold("name") from t`:                                                 true,
		`SELECT random()`:                                                                    false,
		`SELECT "random"()`:                                                                  false,
		`SELECT pg_catalog.now()`:                                                            false,
		`SELECT nextval('s')`:                                                                false,
		`SELECT a FROM t FOR UPDATE`:                                                         false,
		`SELECT a FROM t FOR NO KEY UPDATE`:                                                  false,
		`UPDATE t SET a = 1 RETURNING a`:                                                     false,
		`INSERT INTO t VALUES (1) RETURNING a`:                                               false,
		`WITH d AS (DELETE FROM t) SELECT 1`:                                                 false,
		`SELECT a INTO b FROM t`:                                                             false,
		`EXPLAIN SELECT 1`:                                                                   false,
		`SELECT my_own(1)`:                                                                   false,
		`SELECT set_config('a', 'b', false)`:                                                 false,
		`SELECT 'unended`:                                                                    false,
		`(SELECT 1) UNION (SELECT pg_sleep(1))`:                                              false,
		`PRAGMA table_info(t)`:                                                               false,
		`SELECT current_setting ('a')`:                                                       false,
		`SELECT a FROM t WHERE at < CURRENT_TIMESTAMP`:                                       false,
		`SELECT current_user`:                                                                false,
		`SELECT pg_advisory_lock(1) WHERE 1 = $1`:                                            false,
	} {
		if got := sharable(text); got != want {
			t.Errorf("%s is shared: %v; want %v", text, got, want)
		}
	}
}

// TestNoReadMissesACommit: one writes and 32 read the same; nobody is answered
// with less than what had been committed before they asked. Some of the reads
// shared an execution, or this proves nothing.
func TestNoReadMissesACommit(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, n {{bigint}})")
		run(t, db.Session(), "INSERT INTO t VALUES (1, 0)")
		var statements, asked, committed atomic.Int64
		db.Observe(func(_ context.Context, e Event) {
			if len(e.SQL) > 6 && e.SQL[:6] == "SELECT" {
				statements.Add(1)
			}
		})
		ctx, stop := context.WithCancel(background(t))
		defer stop()
		var readers sync.WaitGroup
		for range 32 {
			readers.Go(func() {
				for ctx.Err() == nil {
					before := committed.Load()
					asked.Add(1)
					r, err := db.Session().Read(ctx, db.NewRaw("SELECT n FROM t WHERE id = ?", Param(1)))
					if err != nil {
						if ctx.Err() == nil {
							t.Error(err)
						}
						return
					}
					if got := r.Row(0)[0].(int64); got < before {
						t.Errorf("a read that began after commit %d sees %d", before, got)
						return
					}
				}
			})
		}
		for n := range 300 {
			run(t, db.Session(), "UPDATE t SET n = ? WHERE id = ?", Param(n+1), Param(1))
			committed.Store(int64(n + 1))
		}
		stop()
		readers.Wait()
		if s, a := statements.Load(), asked.Load(); s >= a {
			t.Errorf("%d reads were %d statements: none shared", a, s)
		}
	})
}
