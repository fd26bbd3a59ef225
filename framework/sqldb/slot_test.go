package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/pool"
)

// soon is a QueueTimeout of tests in which no connection is to come free.
const soon = 20 * time.Millisecond

// visiting is the context of a request.
func visiting(t *testing.T) context.Context {
	t.Helper()
	return fair.With(background(t), fair.Client{Caller: "ada", Address: "192.0.2.1", Resource: "numbers"})
}

// forgetCounts commits two changes, so that no count is remembered.
func forgetCounts(t *testing.T, db *DB) {
	t.Helper()
	for _, change := range []string{"UPDATE c SET n = n + 1", "UPDATE c SET n = n - 1"} {
		script(t, db, change)
	}
}

// holdAll takes every slot of a database until release is called.
func holdAll(t *testing.T, db *DB) (release func()) {
	t.Helper()
	var turns []*fair.Turn
	for range db.options.MaxConns {
		turns = append(turns, db.pool.Slots.Enter(fair.Client{}))
	}
	turns = append(turns, db.pool.Writer.Enter(fair.Client{}))
	return func() {
		for _, turn := range turns {
			turn.End()
		}
	}
}

// waysToAsk are what a program can do with the second row of [counter].
func waysToAsk(db *DB) map[string]func(context.Context) error {
	s := db.Session()
	numbers := NewLookup(func(v Values) schema.QueryAppender { return bun.SafeQuery("SELECT n, id FROM c WHERE id ?", v.Key()) })
	row := func() *bun.RawQuery { return db.NewRaw("SELECT n FROM c WHERE id = ?", Param(2)) }
	change := func() *bun.RawQuery {
		return db.NewRaw("UPDATE c SET n = n + 1 WHERE id = ? RETURNING n", Param(2))
	}
	var n int
	var counted atomic.Int64 // so that no count is remembered
	return map[string]func(context.Context) error{
		"a read": func(ctx context.Context) error { _, err := s.Read(ctx, row()); return err },
		"a count": func(ctx context.Context) error {
			_, err := s.Count(ctx, db.NewRaw("SELECT n + ? FROM c WHERE id = ?", Param(counted.Add(1)), Param(2)))
			return err
		},
		"a lookup": func(ctx context.Context) error { _, err := s.ReadBy(ctx, numbers, 2, 1); return err },
		"a write":  func(ctx context.Context) error { _, err := s.Write(ctx, change(), 2); return err },
		"a query": func(ctx context.Context) error {
			rows, err := s.Query(ctx, row())
			if err == nil {
				err = errors.Join(rows.Err(), rows.Close())
			}
			return err
		},
		"a statement": func(ctx context.Context) error { _, err := s.Exec(ctx, change()); return err },
		"a transaction": func(ctx context.Context) error {
			return db.InTx(ctx, func(ctx context.Context, s *Session) error { _, err := s.Exec(ctx, change()); return err })
		},
		"bun's own query": func(ctx context.Context) error {
			return db.NewRaw("SELECT n FROM c WHERE id = 2").Scan(ctx, new(int))
		},
		"bun's own count": func(ctx context.Context) error {
			_, err := db.NewSelect().TableExpr("c").Count(ctx)
			return err
		},
		"bun's own statement": func(ctx context.Context) error {
			_, err := db.NewUpdate().TableExpr("c").Set("n = n + 1").Where("id = 2").Exec(ctx)
			return err
		},
		"bun's own RETURNING": func(ctx context.Context) error {
			return db.NewUpdate().TableExpr("c").Set("n = n + 1").Where("id = 2").Returning("n").Scan(ctx, &n)
		},
	}
}

// atOnce tries every way three times, all of them at once, and checks what comes of it.
func atOnce(ctx context.Context, ways map[string]func(context.Context) error, check func(what string, err error)) {
	var all sync.WaitGroup
	for what, ask := range ways {
		for range 3 {
			all.Go(func() { check(what, ask(fair.With(ctx, fair.Client{Caller: what, Address: "192.0.2.1"}))) })
			if what == "bun's own RETURNING" {
				break // they share a variable
			}
		}
	}
	all.Wait()
}

func succeeds(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func (db *DB) isIdle(t *testing.T) {
	t.Helper()
	if n := db.Stats().InUse; n != 0 {
		t.Errorf("%d connections are still in use", n)
	}
	if s := db.QueueStats(); s.Used != 0 || s.Waiting != 0 {
		t.Errorf("%d slots are still held, and %d waits for one go on", s.Used, s.Waiting)
	}
}

// TestNoConnectionComesFree: every operation of a request fails after its wait limit, and
// nothing was done. When connections are free again, requests succeed.
func TestNoConnectionComesFree(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 2, QueueTimeout: soon})
		script(t, db, counter)
		ways := waysToAsk(db)
		for what, ask := range ways {
			succeeds(t, what, ask(visiting(t)))
		}
		before := count(t, db)
		forgetCounts(t, db)
		release := holdAll(t, db)
		atOnce(background(t), ways, func(what string, err error) {
			unavailable(t, what, err)
			if !IsOverloaded(err) {
				t.Errorf("%s: %v; want that no slot came free", what, err)
			}
			for _, words := range []string{"connection", "Options.MaxConns", "Options.QueueTimeout"} {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("%s: %v; want it to say %q", what, err, words)
				}
			}
		})
		release()
		if n := count(t, db); n != before {
			t.Errorf("the rows hold %d; want %d as before, since nothing was done", n, before)
		}
		for what, ask := range ways {
			succeeds(t, what, ask(visiting(t)))
		}
		db.isIdle(t)
	})
}

// TestWorkOfTheProgramWaits: what belongs to no request waits as long as its context.
func TestWorkOfTheProgramWaits(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 1, QueueTimeout: time.Nanosecond})
		script(t, db, counter)
		for what, ask := range waysToAsk(db) {
			forgetCounts(t, db)
			release := holdAll(t, db)
			asked := make(chan error, 1)
			go func() { asked <- ask(background(t)) }()
			eventually(t, what+" waits", func() bool { return db.QueueStats().Waiting == 1 })
			release()
			succeeds(t, what, <-asked)
		}
		forgetCounts(t, db)
		release := holdAll(t, db)
		defer release()
		for what, ask := range waysToAsk(db) {
			ctx, cancel := context.WithTimeout(background(t), soon)
			if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v; want the end of its context", what, err)
			}
			cancel()
		}
	})
}

// TestWorkOfTheProgramTakesOneConnection: with a single connection, each thing that the
// program does succeeds.
func TestWorkOfTheProgramTakesOneConnection(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 1})
		script(t, db, counter)
		for what, ask := range waysToAsk(db) {
			ctx, cancel := context.WithTimeout(background(t), 5*time.Second)
			succeeds(t, what, ask(ctx))
			cancel()
		}
		db.isIdle(t)
	})
}

// TestARequestThatHoldsAConnection needs no turn for a second one: two that hold all
// connections do not wait for each other.
func TestARequestThatHoldsAConnection(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 1})
		script(t, db, counter)
		ctx := visiting(t)
		succeeds(t, "a read beside a transaction", db.InTx(ctx, func(ctx context.Context, _ *Session) error {
			_, err := db.Session().Read(ctx, db.NewRaw("SELECT n FROM c"))
			return err
		}))
		rows, err := db.Session().Query(ctx, db.NewRaw("SELECT n FROM c"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Session().Read(ctx, db.NewRaw("SELECT n FROM c"))
		succeeds(t, "a read while rows are open", errors.Join(err, rows.Err(), rows.Close()))
		db.isIdle(t)
	})
}

// TestAPoolThatTheProgramTookItself: a request that has a turn and gets no connection does
// not wait for longer either.
func TestAPoolThatTheProgramTookItself(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 1, QueueTimeout: soon})
		script(t, db, counter)
		for range db.Stats().MaxOpenConnections {
			c, err := db.DB.DB.Conn(background(t))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
		}
		for _, what := range []string{"a read", "a lookup", "a write", "a transaction"} {
			ctx := visiting(t)
			if err := waysToAsk(db)[what](ctx); !IsOverloaded(err) {
				t.Errorf("%s: %v; want that no connection came free", what, err)
			}
			if left, _ := db.pool.Slots.Left(ctx); left != 0 {
				t.Errorf("%s: the request may still wait for %s; want that its wait counted", what, left)
			}
		}
	})
}

// TestARoundComesByItsFirstMember: a read that joins equal ones which have to wait has
// its answer when it is its own turn, if that is sooner.
func TestARoundComesByItsFirstMember(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 2, QueueTimeout: time.Minute})
		script(t, db, counter)
		read := func(caller string) error {
			ctx := fair.With(background(t), fair.Client{Caller: caller, Address: caller})
			_, err := db.Session().Read(ctx, db.NewRaw("SELECT n FROM c"))
			return err
		}
		greedy := db.pool.Slots.Enter(fair.Client{Caller: "greedy", Address: "greedy"}) // as much as it may have
		defer greedy.End()
		waits := make(chan error, 1)
		go func() { waits <- read("greedy") }()
		eventually(t, "it waits", func() bool { return db.QueueStats().Waiting == 1 })
		succeeds(t, "a polite read", read("polite"))
		succeeds(t, "the greedy read, which has the same answer", <-waits)
	})
}

func TestOpenRejectsANegativeQueueTimeout(t *testing.T) {
	_, err := Open(sqliteURL(t), Options{QueueTimeout: -1})
	if err == nil || !strings.Contains(err.Error(), "QueueTimeout -1ns") {
		t.Errorf("it says %v", err)
	}
}

// TestSlotsComeBack: a query holds its slot until its rows are closed, and no longer,
// also after an error.
func TestSlotsComeBack(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 2})
		script(t, db, counter)
		used := func(t *testing.T, want int) {
			t.Helper()
			eventually(t, fmt.Sprintf("%d slots are held", want), func() bool { return db.QueueStats().Used == want })
		}
		conn := func(t *testing.T) bun.IConn {
			t.Helper()
			return pool.Slotted{Pool: db.pool}
		}
		const text = "SELECT n FROM c"
		for name, test := range map[string]func(t *testing.T){
			"rows that are closed": func(t *testing.T) {
				rows, err := db.Session().Query(visiting(t), db.NewRaw(text))
				if err != nil {
					t.Fatal(err)
				}
				used(t, 1)
				if err := errors.Join(rows.Err(), rows.Close(), rows.Close()); err != nil {
					t.Error(err)
				}
			},
			"rows that are read to their end": func(t *testing.T) {
				rows, err := db.Session().Query(visiting(t), db.NewRaw(text))
				if err != nil {
					t.Fatal(err)
				}
				for rows.Next() {
					used(t, 1)
				}
				if rows.Err() != nil {
					t.Error(rows.Err())
				}
			},
			"rows whose context ends": func(t *testing.T) {
				ctx, cancel := context.WithCancel(visiting(t))
				if _, err := db.Session().Query(ctx, db.NewRaw(text)); err != nil {
					t.Fatal(err)
				}
				used(t, 1)
				cancel()
			},
			"a query that fails": func(t *testing.T) {
				if rows, err := db.Session().Query(visiting(t), db.NewRaw("SELECT n FROM nowhere")); err == nil {
					t.Error(rows.Close(), "it does not fail")
				}
			},
			"a query whose context has ended": func(t *testing.T) {
				ctx, cancel := context.WithCancel(visiting(t))
				cancel()
				if rows, err := db.Session().Query(ctx, db.NewRaw(text)); !errors.Is(err, context.Canceled) {
					t.Error(rows, err)
				}
			},
			"a query that panics": func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("it does not panic")
					}
				}()
				rows, err := conn(t).QueryContext(visiting(t), "SELECT n FROM c WHERE n = $1", panics{})
				t.Error(rows, err)
			},
			"a row that is scanned": func(t *testing.T) {
				row := conn(t).QueryRowContext(visiting(t), text)
				used(t, 1)
				succeeds(t, "it", row.Scan(new(int)))
			},
			"a row that cannot be scanned": func(t *testing.T) {
				if err := conn(t).QueryRowContext(visiting(t), text).Scan(new(time.Time)); err == nil {
					t.Error("it is scanned")
				}
			},
			"a row that does not exist": func(t *testing.T) {
				if err := conn(t).QueryRowContext(visiting(t), "SELECT n FROM c WHERE n < -1").Scan(new(int)); !errors.Is(err, sql.ErrNoRows) {
					t.Error(err)
				}
			},
			"a row of a statement that fails": func(t *testing.T) {
				row := conn(t).QueryRowContext(visiting(t), "SELECT n FROM nowhere")
				used(t, 0) // also if it is not scanned
				if row.Err() == nil {
					t.Error("it does not fail")
				}
			},
			"a row of a statement that panics": func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("it does not panic")
					}
				}()
				t.Error(conn(t).QueryRowContext(visiting(t), "SELECT n FROM c WHERE n = $1", panics{}).Err())
			},
			"a transaction that panics": func(t *testing.T) {
				defer func() {
					if recover() == nil {
						t.Error("it does not panic")
					}
				}()
				_ = db.InTx(visiting(t), func(context.Context, *Session) error { panic("of the program") })
			},
			"a transaction whose context ends": func(t *testing.T) {
				ctx, cancel := context.WithCancel(visiting(t))
				if err := db.InTx(ctx, func(context.Context, *Session) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			},
			"a statement that fails": func(t *testing.T) {
				if _, err := db.Session().Exec(visiting(t), db.NewRaw("UPDATE nowhere SET n = 1")); err == nil {
					t.Error("it does not fail")
				}
			},
		} {
			t.Run(name, func(t *testing.T) {
				test(t)
				used(t, 0)
			})
		}
	})
}

// panics is a value that no driver gets.
type panics struct{}

func (panics) Value() (driver.Value, error) { panic("of a value") }

// TestATransactionReadsWithoutWaiting: a request with a transaction does not wait for a
// slot to read, also if others hold all of them and may wait for its end.
func TestATransactionReadsWithoutWaiting(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 1, QueueTimeout: soon})
		script(t, db, counter)
		l := NewLookup(func(v Values) schema.QueryAppender { return bun.SafeQuery("SELECT n, id FROM c WHERE id ?", v.Key()) })
		for what, ctx := range map[string]context.Context{"a request": visiting(t), "the program": background(t)} {
			succeeds(t, what, db.InTx(ctx, func(ctx context.Context, _ *Session) error {
				if db.Kind() == SQLite { // where the transaction holds the writer's slot
					defer db.pool.Slots.Enter(fair.Client{}).End()
				}
				_, err := db.Session().Read(ctx, db.NewRaw("SELECT n FROM c"))
				_, err2 := db.Session().ReadBy(ctx, l, 2, 1)
				_, err3 := db.Session().Count(ctx, db.NewRaw("SELECT count(*) FROM c"))
				return errors.Join(err, err2, err3)
			}))
			db.isIdle(t)
		}
	})
}

// TestARequestWithoutTimeLeft gets a slot and a connection that are free.
func TestARequestWithoutTimeLeft(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 1})
		script(t, db, counter)
		var all []*sql.Conn
		for range db.Stats().MaxOpenConnections { // all connections are open, and idle
			c, err := db.DB.DB.Conn(background(t))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		for _, c := range all {
			succeeds(t, "closing", c.Close())
		}
		ctx := visiting(t)
		fair.Waited(ctx, time.Hour)
		for what, ask := range waysToAsk(db) {
			succeeds(t, what, ask(ctx))
		}
		db.isIdle(t)
	})
}
