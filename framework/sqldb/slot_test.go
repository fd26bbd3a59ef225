package sqldb

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/fair"
)

// soon is a QueueTimeout of tests in which no connection is to come free.
const soon = 20 * time.Millisecond

// visiting is the context of a request.
func visiting(t *testing.T) context.Context {
	t.Helper()
	return fair.With(background(t), fair.Client{Caller: "ada", Address: "192.0.2.1", Resource: "numbers"})
}

// holdAll takes every slot of a database until release is called.
func holdAll(t *testing.T, db *DB) (release func()) {
	t.Helper()
	var turns []*fair.Turn
	for range db.core.options.MaxConns {
		turns = append(turns, db.slots.Enter(fair.Client{}))
	}
	turns = append(turns, db.writer.Enter(fair.Client{}))
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

// TestNoConnectionComesFree: whatever a request does fails after the time for which it
// may wait, and nothing was done. When there are connections again all is as before.
func TestNoConnectionComesFree(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 2, QueueTimeout: soon})
		script(t, db, counter)
		ways := waysToAsk(db)
		for what, ask := range ways {
			succeeds(t, what, ask(visiting(t)))
		}
		before := count(t, db)
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
			release := holdAll(t, db)
			asked := make(chan error, 1)
			go func() { asked <- ask(background(t)) }()
			eventually(t, what+" waits", func() bool { return db.QueueStats().Waiting == 1 })
			release()
			succeeds(t, what, <-asked)
		}
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

// TestAPoolThatTheProgramTookItself: who has a turn and gets no connection is not kept
// waiting for longer either.
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
			if err := waysToAsk(db)[what](visiting(t)); !IsOverloaded(err) {
				t.Errorf("%s: %v; want that no connection came free", what, err)
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
		greedy := db.slots.Enter(fair.Client{Caller: "greedy", Address: "greedy"}) // as much as it may have
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
