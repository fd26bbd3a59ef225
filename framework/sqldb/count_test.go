package sqldb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trestle.example/framework/sqldb/internal/recall"
	"trestle.example/framework/sqldb/internal/share"
)

// TestCountsAreRemembered until anything is committed, by whomever.
func TestCountsAreRemembered(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}})")
		count := func(s *Session, name string) int64 {
			t.Helper()
			n, err := s.Count(background(t), db.NewSelect().TableExpr("t").ColumnExpr("count(*)").Where("name = ?", name))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		wants := func(what string, as, bs int64) {
			t.Helper()
			for range 3 {
				if a, b := count(db.Session(), "a"), count(db.Session(), "b"); a != as || b != bs {
					t.Errorf("%s there are %d and %d; want %d and %d", what, a, b, as, bs)
				}
			}
		}
		wants("at first", 0, 0)
		run(t, db.Session(), "INSERT INTO t VALUES (1, 'a')")
		wants("after a row was added", 1, 0)
		err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
			run(t, s, "INSERT INTO t VALUES (2, 'b')")
			if got := count(s, "b"); got != 1 {
				t.Errorf("a transaction counts %d; it has 1", got)
			}
			wants("beside a transaction", 1, 0)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		wants("after the transaction", 1, 1)
		run(t, db.Session(), "DELETE FROM t WHERE name = 'a'")
		wants("after one was deleted", 0, 1)
	})
}

// TestARememberedCountIsNotMade again: a statement that would fail if it were
// run is answered from what is known, in the one statement that compares.
func TestARememberedCountIsNotMade(t *testing.T) {
	db := open(t, postgresURL(t), Options{})
	var statements atomic.Int64
	db.Observe(func(_ context.Context, e Event) { statements.Add(1) })
	slow := db.NewRaw("SELECT count(*) FROM (SELECT 1) AS t WHERE ? > 0", Param(1))
	text, args, err := db.render(slow)
	if err != nil {
		t.Fatal(err)
	}
	// The number that is known is a wrong one, to distinguish it from one that is counted.
	for range 100 { // until nothing is committed beside, by another test
		var snapshot string
		r, err := db.Session().Read(background(t), db.NewRaw("SELECT pg_current_snapshot()::text"))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Scan(0, &snapshot); err != nil {
			t.Fatal(err)
		}
		db.counts.Keep(share.KeyOf(text, args), recall.NewCount(snapshot, int64(42)))
		before := statements.Load()
		n, err := db.Session().Count(background(t), slow)
		if ran := statements.Load() - before; err != nil || ran != 1 {
			t.Fatalf("it is %v after %d statements", err, ran)
		}
		if n == 42 {
			return
		}
	}
	t.Error("what is known is never taken")
}

// TestCountsShareWhateverIsKnown: equal counts that wait together are one statement,
// even if a commit changed the known number between them.
func TestCountsShareWhateverIsKnown(t *testing.T) {
	db := open(t, postgresURL(t), Options{})
	var statements atomic.Int64
	db.Observe(func(context.Context, Event) { statements.Add(1) })
	q := db.NewRaw("SELECT count(*) FROM (SELECT 1) AS t WHERE ? > 0", Param(1))
	text, args, err := db.render(q)
	if err != nil {
		t.Fatal(err)
	}
	release := holdAll(t, db)
	answers := make(chan error)
	for i := range 3 {
		db.counts.Keep(share.KeyOf(text, args), recall.NewCount("of commit "+strconv.Itoa(i), int64(42)))
		go func() {
			n, err := db.Session().Count(background(t), q)
			if err == nil && n != 1 {
				err = fmt.Errorf("it is %d", n)
			}
			answers <- err
		}()
		key := share.KeyOf(text, args)
		waiters(t, db.reads, countKey(key), i+1)
	}
	release()
	for range 3 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if n := statements.Load(); n != 1 {
		t.Errorf("they are %d statements, want 1", n)
	}
}

// TestNoCountMissesACommit: one connection writes and many count. Each count includes what
// was committed before it began.
func TestNoCountMissesACommit(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
		ctx, stop := context.WithCancel(background(t))
		defer stop()
		var committed atomic.Int64
		var readers sync.WaitGroup
		for range 32 {
			readers.Go(func() {
				for ctx.Err() == nil {
					before := committed.Load()
					got, err := db.Session().Count(ctx, db.NewSelect().TableExpr("t").ColumnExpr("count(*)"))
					switch {
					case ctx.Err() != nil:
						return
					case err != nil:
						t.Error(err)
						return
					}
					if got < before {
						t.Errorf("asked after commit %d, answered with %d", before, got)
						return
					}
				}
			})
		}
		for n := range 300 {
			run(t, db.Session(), "INSERT INTO t VALUES (?)", Param(n))
			committed.Store(int64(n + 1))
		}
		stop()
		readers.Wait()
	})
}

// TestCountedTexts are remembered as numbers are, but for long ones.
func TestCountedTexts(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}})")
		text := func() string {
			t.Helper()
			got, err := db.Session().CountText(background(t), db.NewRaw("SELECT coalesce(max(name), 'none') FROM t"))
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		long := strings.Repeat("x", 4<<10+1)
		for i, want := range []string{"none", "a", "b", long} {
			if want != "none" {
				run(t, db.Session(), "INSERT INTO t VALUES (?, ?)", Param(i), Param(want))
			}
			for range 3 {
				if got := text(); got != want {
					t.Errorf("it is %.20q; want %.20q", got, want)
				}
			}
		}
		if _, err := db.Session().CountText(background(t), db.NewRaw("SELECT name FROM t WHERE id = ?", Param(99))); err == nil {
			t.Error("no row is no error")
		}
	})
}
