package sqldb

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// TestARememberedCountOfAFileIsNotMade again: after the first time no statement
// reaches the database until something is committed, by whichever process.
func TestARememberedCountOfAFileIsNotMade(t *testing.T) {
	url := sqliteURL(t)
	db, other := open(t, url, Options{}), open(t, url, Options{})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
	var statements atomic.Int64
	db.Observe(func(context.Context, Event) { statements.Add(1) })
	// The first count after a commit is made, or repeated only where it is right.
	made := func(what string, want int64) {
		t.Helper()
		before := statements.Load()
		for range 20 {
			n, err := db.Session().Count(background(t), db.NewSelect().TableExpr("t").ColumnExpr("count(*)").Where("id > ?", 0))
			if err != nil || n != want {
				t.Fatalf("%s: %d, %v; want %d", what, n, err, want)
			}
		}
		if ran := statements.Load() - before; ran == 0 || ran > 5 { // once, and again where it took a second
			t.Errorf("%s: %d statements ran for 20 counts", what, ran)
		}
	}
	made("at first", 0)
	run(t, other.Session(), "INSERT INTO t VALUES (1)")
	made("after another process wrote", 1)
	run(t, db.Session(), "INSERT INTO t VALUES (2)")
	made("after this one wrote", 2)
	script(t, other, "PRAGMA wal_checkpoint(TRUNCATE)\n--bun:split\nINSERT INTO t VALUES (3)")
	made("after a checkpoint and a write", 3)
	none := errors.New("not to be committed")
	err := other.InTx(background(t), func(_ context.Context, s *Session) error {
		run(t, s, "INSERT INTO t VALUES (4)")
		if n, err := db.Session().Count(background(t), db.NewRaw("SELECT count(*) FROM t WHERE id > ?", Param(0))); err != nil || n != 3 {
			t.Errorf("beside an open transaction: %d, %v", n, err)
		}
		return none
	})
	if !errors.Is(err, none) {
		t.Error(err)
	}
	if n, err := db.Session().Count(background(t), db.NewRaw("SELECT count(*) FROM t WHERE id > ?", Param(0))); err != nil || n != 3 {
		t.Errorf("after a transaction was rolled back: %d, %v", n, err)
	}
	script(t, db, "DROP TABLE t\n--bun:split\nCREATE TABLE t (id {{bigint}} PRIMARY KEY)")
	made("after the table was made anew", 0)
}

// TestCountsOfAFileAreExact while two processes write at random: a count is what a
// fresh count answers if nothing is committed meanwhile.
func TestCountsOfAFileAreExact(t *testing.T) {
	url := sqliteURL(t)
	db, other := open(t, url, Options{}), open(t, url, Options{})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}})")
	r := rand.New(rand.NewPCG(1, uint64(rand.Int64())))
	for step := range 2000 {
		writer := []*DB{db, other}[r.IntN(2)]
		switch id := r.IntN(50); r.IntN(6) {
		case 0:
			run(t, writer.Session(), "INSERT OR REPLACE INTO t VALUES (?, ?)", Param(id), Param(strconv.Itoa(r.IntN(3))))
		case 1:
			run(t, writer.Session(), "DELETE FROM t WHERE id = ?", Param(id))
		case 2:
			_ = writer.InTx(background(t), func(_ context.Context, s *Session) error {
				run(t, s, "DELETE FROM t")
				return errors.New("not to be committed")
			})
		}
		name := strconv.Itoa(r.IntN(3))
		got, err := db.Session().Count(background(t), db.NewRaw("SELECT count(*) FROM t WHERE name = ?", Param(name)))
		if err != nil {
			t.Fatal(err)
		}
		if fresh := one[int64](t, other.Session(), "SELECT count(*) FROM t WHERE name = ?", Param(name)); got != fresh {
			t.Fatalf("step %d: the count is %d, a fresh one %d", step, got, fresh)
		}
	}
}

// TestNoCountOfAFileMissesACommit of another process, while many count.
func TestNoCountOfAFileMissesACommit(t *testing.T) {
	url := sqliteURL(t)
	db, other := open(t, url, Options{}), open(t, url, Options{})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
	ctx, stop := context.WithCancel(background(t))
	var committed atomic.Int64
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for ctx.Err() == nil {
				before := committed.Load()
				n, err := db.Session().Count(ctx, db.NewRaw("SELECT count(*) FROM t WHERE id >= ?", Param(0)))
				if after := committed.Load() + 1; ctx.Err() == nil && (err != nil || n < before || n > after) {
					t.Errorf("it is %d, %v; from %d to %d were committed", n, err, before, after)
					return
				}
			}
		})
	}
	for n := range 500 {
		run(t, []*DB{db, other}[n%2].Session(), "INSERT INTO t VALUES (?)", Param(n))
		committed.Store(int64(n + 1))
	}
	stop()
	readers.Wait()
}

// TestCountsAfterClose fail, and leave no connection open.
func TestCountsAfterClose(t *testing.T) {
	db, err := Open(sqliteURL(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := func() (int64, error) {
		return db.Session().Count(background(t), db.NewRaw("SELECT count(*) FROM (SELECT 1)"))
	}
	if n, err := count(); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if _, err := count(); err == nil {
		t.Errorf("after the database was closed: %v", err)
	}
}

// BenchmarkCount counts the rows of a list.
func BenchmarkCount(b *testing.B) {
	db := open(b, sqliteURL(b), Options{})
	script(b, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}})")
	run(b, db.Session(), "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i, 'name ' || i FROM n")
	ctx := context.Background()
	q := db.NewRaw("SELECT count(*) FROM t WHERE name <> ?", Param("x"))
	b.Run("made", func(b *testing.B) {
		for b.Loop() {
			if _, err := db.Session().Read(ctx, q); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("remembered", func(b *testing.B) {
		for b.Loop() {
			if _, err := db.Session().Count(ctx, q); err != nil {
				b.Fatal(err)
			}
		}
	})
}
