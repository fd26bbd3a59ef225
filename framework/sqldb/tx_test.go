package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/fault"
)

const counter = "CREATE TABLE c (id {{bigint}} PRIMARY KEY, n {{bigint}} NOT NULL)\n--bun:split\nINSERT INTO c VALUES (1, 0), (2, 0)"

func count(t *testing.T, db *DB) int {
	t.Helper()
	return one[int](t, db.Session(), "SELECT CAST(sum(n) AS integer) FROM c")
}

func TestInTx(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, counter)
		add := func(ctx context.Context, s *Session) error {
			_, err := s.Exec(ctx, db.NewRaw("UPDATE c SET n = n + 1 WHERE id = 1"))
			return err
		}
		t.Run("commits", func(t *testing.T) {
			if err := db.InTx(background(t), add); err != nil || count(t, db) != 1 {
				t.Errorf("%d, %v", count(t, db), err)
			}
		})
		t.Run("rolls back on an error and returns it unchanged", func(t *testing.T) {
			want := errors.New("no")
			err := db.InTx(background(t), func(ctx context.Context, s *Session) error { return errors.Join(add(ctx, s), want) })
			if !errors.Is(err, want) || count(t, db) != 1 {
				t.Errorf("%d, %v", count(t, db), err)
			}
		})
		t.Run("rolls back on a panic, which goes on", func(t *testing.T) {
			func() {
				defer func() {
					if recover() != "boom" {
						t.Error("the panic is lost")
					}
				}()
				_ = db.InTx(background(t), func(ctx context.Context, s *Session) error { _ = add(ctx, s); panic("boom") })
			}()
			if count(t, db) != 1 || db.Stats().InUse != 0 {
				t.Errorf("%d, %d connections in use", count(t, db), db.Stats().InUse)
			}
		})
		t.Run("refuses a transaction inside", func(t *testing.T) {
			err := db.InTx(background(t), func(ctx context.Context, s *Session) error { return db.InTx(ctx, add) })
			if err == nil || !strings.Contains(err.Error(), "inside InTx") {
				t.Errorf("got %v", err)
			}
		})
		t.Run("runs whole again when asked, at most five times", func(t *testing.T) {
			runs := 0
			err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
				runs++
				return errors.Join(add(ctx, s), &fault.UntypedError{Err: errors.New("again")})
			})
			if err == nil || runs != fault.Attempts || count(t, db) != 1 {
				t.Errorf("%d runs, %d, %v", runs, count(t, db), err)
			}
		})
		t.Run("stops asking when the context ends", func(t *testing.T) {
			ctx, cancel := context.WithCancel(background(t))
			runs := 0
			_ = db.InTx(ctx, func(ctx context.Context, s *Session) error {
				runs++
				cancel()
				return &fault.UntypedError{Err: errors.New("again")}
			})
			if runs != 1 {
				t.Errorf("%d runs", runs)
			}
		})
	})
}

// TestDeadlock lets two transactions take two rows in opposite orders, at once.
func TestDeadlock(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, counter)
		var first sync.WaitGroup // both hold their first row, where both can
		if db.Kind() == PostgreSQL {
			first.Add(2)
		}
		var runs atomic.Int32
		swap := func(a, b int) error {
			var once sync.Once
			return db.InTx(background(t), func(ctx context.Context, s *Session) error {
				runs.Add(1)
				run(t, s, "UPDATE c SET n = n + 1 WHERE id = ?", Param(a))
				if db.Kind() == PostgreSQL {
					once.Do(func() { first.Done(); first.Wait() })
				}
				_, err := s.Exec(ctx, db.NewRaw("UPDATE c SET n = n + 1 WHERE id = ?", Param(b)))
				return err
			})
		}
		var wg sync.WaitGroup
		for _, order := range [][2]int{{1, 2}, {2, 1}} {
			wg.Go(func() {
				if err := swap(order[0], order[1]); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if count(t, db) != 4 {
			t.Errorf("%d updates, want 4", count(t, db))
		}
		if db.Kind() == PostgreSQL && runs.Load() < 3 {
			t.Errorf("%d runs: there was no deadlock", runs.Load())
		}
	})
}

func TestSerializationFailureAtCommit(t *testing.T) {
	db := open(t, postgresURL(t), Options{})
	script(t, db, counter)
	var read sync.WaitGroup
	read.Add(2)
	var wg sync.WaitGroup
	var runs atomic.Int32
	for _, id := range []int{1, 2} {
		var once sync.Once
		wg.Go(func() {
			err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
				runs.Add(1)
				run(t, s, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
				sum := one[int](t, s, "SELECT sum(n)::int FROM c")
				once.Do(func() { read.Done(); read.Wait() })
				_, err := s.Exec(ctx, db.NewRaw("UPDATE c SET n = ? WHERE id = ?", Param(sum+1), Param(id)))
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if count(t, db) != 3 || runs.Load() < 3 {
		t.Errorf("sum %d, want 3 (1, then 1+1); %d runs", count(t, db), runs.Load())
	}
}

func TestWritersQueue(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, counter)
		busy := atomic.Int32{}
		db.Observe(func(_ context.Context, e Event) {
			if e.Err != nil {
				busy.Add(1)
			}
		})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 25 {
					err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
						n, err := oneOf[int](ctx, s, "SELECT n FROM c WHERE id = 1"+forUpdate(db.Kind()))
						if err != nil {
							return err
						}
						_, err = s.Exec(ctx, db.NewRaw("UPDATE c SET n = ? WHERE id = 1", Param(n+1)))
						return err
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if count(t, db) != 200 || busy.Load() != 0 {
			t.Errorf("%d updates, want 200; %d statements failed", count(t, db), busy.Load())
		}
	})
}

// TestWritesOnThePoolQueue mixes single writes with transactions.
func TestWritesOnThePoolQueue(t *testing.T) {
	db := open(t, sqliteURL(t), Options{})
	script(t, db, counter)
	var wg sync.WaitGroup
	write := func(ctx context.Context, s *Session) error {
		_, err := oneOf[int](ctx, s, "UPDATE c SET n = n + 1 WHERE id = 1 RETURNING n")
		return err
	}
	for i := range 8 {
		wg.Go(func() {
			for range 25 {
				var err error
				if i%2 == 0 {
					err = write(background(t), db.Session())
				} else {
					err = db.InTx(background(t), write)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if count(t, db) != 200 {
		t.Errorf("%d updates, want 200", count(t, db))
	}
}

func forUpdate(k Kind) string {
	if k == PostgreSQL {
		return " FOR UPDATE"
	}
	return ""
}

func TestQueueHonoursContext(t *testing.T) {
	db := open(t, sqliteURL(t), Options{})
	holding, release := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- db.InTx(background(t), func(context.Context, *Session) error { close(holding); <-release; return nil })
	}()
	<-holding
	ctx, cancel := context.WithTimeout(background(t), 10*time.Millisecond)
	defer cancel()
	err := db.InTx(ctx, func(context.Context, *Session) error { t.Error("ran beside the writer"); return nil })
	if f, ok := Classify(err); !ok || f.Kind != Timeout {
		t.Errorf("%v is %v", err, f.Kind)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestForUpdate(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, counter)
		err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
			q := db.Kind().ForUpdate(s.IDB().NewSelect().TableExpr("c").Column("n"))
			if locks := strings.Contains(q.String(), "FOR UPDATE"); locks != (db.Kind() == PostgreSQL) {
				t.Error(q.String())
			}
			_, err := s.Exec(ctx, q)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestAnErrorPassedOverIsNoCommit(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		script(t, db, "CREATE TABLE passed (n {{bigint}} UNIQUE)")
		err := db.InTx(t.Context(), func(_ context.Context, s *Session) error {
			run(t, s, "INSERT INTO passed (n) VALUES (1)")
			if _, err := s.Exec(t.Context(), db.NewRaw("INSERT INTO passed (n) VALUES (1)")); err == nil {
				t.Error("the second row was stored")
			}
			return nil
		})
		var stored int
		if err := db.NewSelect().Table("passed").ColumnExpr("count(*)").Scan(t.Context(), &stored); err != nil {
			t.Fatal(err)
		}
		if (err == nil) != (stored == 1) {
			t.Errorf("InTx says %v, and %d rows are stored", err, stored)
		}
	})
}

func TestAnErrorOfALaterRowIsNoCommit(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		if db.Kind() != PostgreSQL {
			return // SQLite's transactions outlive a failed statement
		}
		script(t, db, "CREATE TABLE later (n {{bigint}})")
		err := db.InTx(t.Context(), func(_ context.Context, s *Session) error {
			run(t, s, "INSERT INTO later (n) VALUES (1)")
			rows, err := s.Query(t.Context(), db.NewRaw("SELECT 1/(3-n) FROM generate_series(1,5) n"))
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				continue
			}
			if rows.Err() == nil {
				t.Error("no row failed")
			}
			return nil
		})
		if err == nil {
			t.Error("InTx says that it committed")
		}
	})
}

// A panicking hook of bun panics before or after some statement.
type panicking struct{ before, after string }

func (p panicking) BeforeQuery(ctx context.Context, e *bun.QueryEvent) context.Context {
	if p.before != "" && e.Query == p.before {
		panic("a hook's own fault")
	}
	return ctx
}

func (p panicking) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	if p.after != "" && e.Query == p.after {
		panic("a hook's own fault")
	}
}

// TestAContextThatEndsBeforeTheCommit: the transaction is rolled back beside it, and
// the error is the context's.
func TestAContextThatEndsBeforeTheCommit(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		ctx, cancel := context.WithCancel(background(t))
		defer cancel()
		err := db.InTx(ctx, func(_ context.Context, s *Session) error {
			cancel()
			eventually(t, "it is rolled back", func() bool {
				_, err := s.tx.ExecContext(background(t), "SELECT 1")
				return errors.Is(err, sql.ErrTxDone)
			})
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
}

// TestAHookThatPanics ends its transaction and nothing else, though the context
// never ends.
func TestAHookThatPanics(t *testing.T) {
	for name, hook := range map[string]panicking{
		"before the beginning": {before: "BEGIN"},
		"after the beginning":  {after: "BEGIN"},
		"before the commit":    {before: "COMMIT"},
	} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, url string) {
				db := open(t, url, Options{MaxConns: 1})
				script(t, db, counter)
				add := func(ctx context.Context, s *Session) error {
					_, err := s.Exec(ctx, db.NewRaw("UPDATE c SET n = n + 1"))
					return err
				}
				before := count(t, db)
				plain := db.DB
				db.DB = plain.WithQueryHook(hook)
				func() {
					defer func() {
						if recover() == nil {
							t.Error("the panic is lost")
						}
					}()
					_ = db.InTx(context.Background(), add)
				}()
				db.DB = plain
				eventually(t, "its connection is free", func() bool { return db.Stats().InUse == 0 })
				if n := count(t, db); n != before {
					t.Errorf("the rows hold %d; want %d, since nothing was committed", n, before)
				}
				succeeds(t, "the next", db.InTx(background(t), add))
			})
		})
	}
}
