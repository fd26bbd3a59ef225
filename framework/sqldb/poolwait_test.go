package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// soon is a PoolWait of tests in which nobody is to wait.
const soon = 20 * time.Millisecond

// holdAll takes every connection of a pool until release is called.
func holdAll(t *testing.T, db *DB) (release func()) {
	t.Helper()
	var held []*sql.Conn
	for range db.Stats().MaxOpenConnections {
		c, err := db.DB.DB.Conn(background(t))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	return func() {
		for _, c := range held {
			_ = c.Close()
		}
	}
}

// waysToAsk are what a session can do with the second row of [counter].
func waysToAsk(db *DB) map[string]func(context.Context) error {
	s := db.Session()
	numbers := NewLookup(func(v Values) schema.QueryAppender { return bun.SafeQuery("SELECT n, id FROM c WHERE id ?", v.Key()) })
	row := func() schema.QueryAppender { return db.NewRaw("SELECT n FROM c WHERE id = ?", Param(2)) }
	change := func() schema.QueryAppender {
		return db.NewRaw("UPDATE c SET n = n + 1 WHERE id = ? RETURNING n", Param(2))
	}
	return map[string]func(context.Context) error{
		"a read":   func(ctx context.Context) error { _, err := s.Read(ctx, row()); return err },
		"a count":  func(ctx context.Context) error { _, err := s.Count(ctx, row()); return err },
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
	}
}

// inTurn tries every way, and checks that it succeeds.
func inTurn(t *testing.T, ways map[string]func(context.Context) error) {
	t.Helper()
	for what, ask := range ways {
		succeeds(t, what, ask(background(t)))
	}
}

// atOnce tries every way, all of them at once, and checks what comes of it.
func atOnce(t *testing.T, ways map[string]func(context.Context) error, check func(what string, err error)) {
	t.Helper()
	var all sync.WaitGroup
	for what, ask := range ways {
		for range 3 {
			all.Go(func() { check(what, ask(background(t))) })
		}
	}
	all.Wait()
}

func standsStill(t *testing.T, what string, err error) {
	t.Helper()
	unavailable(t, what, err)
	for _, words := range []string{"came free for 20ms", "a lock", "Options.MaxConns"} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v; want it to say %q", what, err, words)
		}
	}
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
	if n := len(db.core.waits.asking); n != 0 {
		t.Errorf("%d still ask for a connection", n)
	}
}

// TestAPoolThatStandsStill is waited for no longer than it is told to be, by none
// who need a connection; when there are some again it is as if nothing had been.
func TestAPoolThatStandsStill(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 2, PoolWait: soon})
		script(t, db, counter)
		inTurn(t, waysToAsk(db))
		before := count(t, db)
		release := holdAll(t, db)
		atOnce(t, waysToAsk(db), func(what string, err error) { standsStill(t, what, err) })
		release()
		if n := count(t, db); n != before {
			t.Errorf("the rows hold %d; want %d as before, since nothing was done", n, before)
		}
		inTurn(t, waysToAsk(db))
		db.isIdle(t)
	})
}

// TestAPoolHeldByALock: those who hold it wait for a lock of another program, much
// longer than others wait for them.
func TestAPoolHeldByALock(t *testing.T) {
	url := postgresURL(t)
	db, other := open(t, url, Options{MaxConns: 2, PoolWait: soon, LockTimeout: time.Minute, StatementTimeout: time.Hour}), open(t, url, Options{})
	script(t, other, counter)
	lock, err := other.BeginTx(background(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback()
	if _, err := lock.Exec("UPDATE c SET n = 5 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	var holders sync.WaitGroup
	for range 2 {
		holders.Go(func() {
			succeeds(t, "who waited for the lock", db.InTx(background(t), func(ctx context.Context, s *Session) error {
				_, err := s.Exec(ctx, db.NewRaw("UPDATE c SET n = n + 1 WHERE id = ?", Param(1)))
				return err
			}))
		})
	}
	eventually(t, "both wait for the lock", func() bool {
		return one[int](t, other.Session(), "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 2
	})
	atOnce(t, waysToAsk(db), func(what string, err error) { standsStill(t, what, err) })
	succeeds(t, "the other program", lock.Rollback())
	holders.Wait()
	inTurn(t, waysToAsk(db))
	db.isIdle(t)
}

// TestAPoolThatMoves is waited for: twenty want its one connection, of whom each
// keeps it for nearly as long as nobody may get one.
func TestAPoolThatMoves(t *testing.T) {
	url := sqliteURL(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, url, Options{MaxConns: 1})
		script(t, db, counter)
		db.SetMaxOpenConns(1)
		keep := func(ctx context.Context, s *Session) error {
			rows, err := s.Query(ctx, db.NewRaw("SELECT id FROM c"))
			if err != nil {
				return err
			}
			defer rows.Close()
			<-time.After(900 * time.Millisecond) // of the bubble's clock, which waits for nobody
			n := 0
			for rows.Next() {
				n++
			}
			if n != 2 {
				t.Errorf("%d rows were read; want 2", n)
			}
			return errors.Join(ctx.Err(), rows.Err())
		}
		began := time.Now()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { succeeds(t, "a query", keep(background(t), db.Session())) })
			all.Go(func() { succeeds(t, "a transaction", db.InTx(background(t), keep)) })
		}
		all.Wait()
		if took := time.Since(began); took < 18*time.Second {
			t.Errorf("it took %s; want each to have waited for those before", took)
		}
		db.isIdle(t)
	})
}

// TestHowLongAPoolIsWaitedFor, by the bubble's clock: a second.
func TestHowLongAPoolIsWaitedFor(t *testing.T) {
	url := sqliteURL(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, url, Options{MaxConns: 1})
		script(t, db, counter)
		release := holdAll(t, db)
		for what, ask := range waysToAsk(db) {
			began := time.Now()
			unavailable(t, what, ask(background(t)))
			if took := time.Since(began); took != time.Second {
				t.Errorf("%s is refused after %s; want 1s", what, took)
			}
		}
		began := time.Now()
		atOnce(t, waysToAsk(db), func(what string, err error) { unavailable(t, what, err) })
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("all of them at once are refused after %s; want none to wait for long behind others", took)
		}
		release()
		db.isIdle(t)
	})
}

// TestWhatMovesAPool: whoever is given a connection, by whichever way, is waited
// for by those who have none yet.
func TestWhatMovesAPool(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{PoolWait: time.Hour})
		script(t, db, counter)
		ways := waysToAsk(db)
		ways["bun's own statement"] = func(ctx context.Context) error { _, err := db.NewRaw("SELECT 1").Exec(ctx); return err }
		ways["a new connection"] = func(context.Context) error {
			db.SetMaxIdleConns(0)
			defer db.SetMaxIdleConns(2)
			return db.PingContext(background(t))
		}
		held, err := db.DB.DB.Conn(background(t)) // so that the pool is as full as look is told
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		look := func(l *lookout) {
			db.SetMaxOpenConns(1)
			defer db.SetMaxOpenConns(4)
			l.look()
		}
		for what, ask := range ways {
			turn := db.core.waits.turn(background(t))
			turn.Done()
			turn.Done() // it waits
			for range 3 {
				succeeds(t, what, ask(background(t)))
				if look(turn.lookout); turn.Err() != nil {
					t.Errorf("beside %s: %v", what, turn.Err())
				}
			}
			if turn.lookout.look(); turn.Err() != nil {
				t.Errorf("where a connection is free: %v", turn.Err())
			}
			look(turn.lookout)
			<-turn.Done()
			unavailable(t, "beside nobody", turn.Err())
			turn.end()
			if turn.Err() != nil {
				t.Errorf("the statement itself ends: %v", turn.Err())
			}
		}
	})
}

// TestAWaitEndsWithItsContext, and is then no fault of the pool.
func TestAWaitEndsWithItsContext(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 1, PoolWait: time.Hour})
		script(t, db, counter)
		release := holdAll(t, db)
		for what, ask := range waysToAsk(db) {
			ctx, cancel := context.WithCancel(background(t))
			before := db.Stats().WaitCount
			told := make(chan error)
			go func() { told <- ask(ctx) }()
			eventually(t, "it waits", func() bool { return db.Stats().WaitCount > before })
			cancel()
			if err := <-told; !errors.Is(err, context.Canceled) {
				t.Errorf("%s, of a client who goes: %v", what, err)
			}
			late, cancel := context.WithTimeout(background(t), time.Millisecond)
			if f, _ := Classify(ask(late)); f.Kind != Timeout {
				t.Errorf("%s, too late: it is %v", what, f.Kind)
			}
			cancel()
		}
		release()
		inTurn(t, waysToAsk(db))
		db.isIdle(t)
	})
}

// TestWhoWaitsForAConnectionHasATurn: beyond those who ask the pool, which are as many
// as it has connections, they ask in the order in which they came, and who goes
// away is nobody's hindrance.
func TestWhoWaitsForAConnectionHasATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := sql.OpenDB(nil)
		defer pool.Close()
		pool.SetMaxOpenConns(2)
		var p poolWait
		p.init(pool, time.Hour)
		release := make(chan struct{})
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				_, err := waiting(t.Context(), &p, func(context.Context) (int, error) { <-release; return 0, nil })
				succeeds(t, "the first", err)
			})
		}
		synctest.Wait()
		gone, leave := context.WithCancel(t.Context())
		var order []int
		for i := range 40 {
			ctx := t.Context()
			if i%4 == 3 {
				ctx = gone
			}
			all.Go(func() {
				_, err := waiting(ctx, &p, func(context.Context) (int, error) {
					order = append(order, i)
					<-release
					return 0, nil
				})
				if (ctx == gone) != errors.Is(err, context.Canceled) {
					t.Errorf("%d: %v", i, err)
				}
			})
			synctest.Wait()
		}
		leave()
		for len(order) < 30 {
			before := len(order)
			release <- struct{}{}
			if synctest.Wait(); len(order) != before+1 {
				t.Fatalf("when one more may ask, %d do", len(order)-before)
			}
		}
		close(release)
		all.Wait()
		if !slices.IsSorted(order) || len(p.asking) != 0 {
			t.Errorf("they asked in the order %v, and %d still do", order, len(p.asking))
		}
	})
}

// TestMakingAConnectionIsNoWait: neither it nor a statement is held to the time
// that one waits for others.
func TestMakingAConnectionIsNoWait(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{PoolWait: time.Nanosecond})
		for range 5 {
			db.SetMaxIdleConns(0) // so that each makes one
			db.SetMaxIdleConns(1)
			for _, ask := range []func(ctx context.Context, s *Session) error{
				func(ctx context.Context, s *Session) error { _, err := s.Read(ctx, db.NewRaw("SELECT 1")); return err },
				func(ctx context.Context, s *Session) error { _, err := oneOf[int](ctx, s, "SELECT 1"); return err },
			} {
				succeeds(t, "a session", ask(background(t), db.Session()))
				succeeds(t, "a transaction", db.InTx(background(t), ask))
			}
		}
	})
}

// TestAConnectionForOneWhoWaited: what is made for it does not end with its wait.
func TestAConnectionForOneWhoWaited(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		o, err := Options{PoolWait: time.Hour}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		c := &core{options: o}
		connector, err := c.connector(url)
		if err != nil {
			t.Fatal(err)
		}
		db := newDB(c, connector)
		defer db.Close()
		defer holdAll(t, db)()
		turn := c.waits.turn(background(t))
		turn.Done()
		turn.Done()
		turn.lookout.look()
		<-turn.Done()
		made, err := connector.Connect(turn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := made.(*conn).ExecContext(turn, "SELECT 1", nil); err != nil {
			t.Errorf("its statement: %v", err)
		}
		succeeds(t, "its end", made.Close())
	})
}

// A wholeConn is what both drivers' connections are.
type wholeConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// A breaking connection is found to be of no use when a transaction begins.
type breaking struct {
	wholeConn

	begun *int
}

func (b breaking) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	*b.begun++
	return nil, driver.ErrBadConn
}

// TestAConnectionThatIsOfNoUse for a transaction is replaced, as for a statement.
func TestAConnectionThatIsOfNoUse(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		db.SetMaxOpenConns(1)
		begun, ran := 0, 0
		succeeds(t, "breaking it", db.onConn(background(t), func(c *conn) error {
			c.inner = breaking{c.inner.(wholeConn), &begun}
			return nil
		}))
		succeeds(t, "a transaction", db.InTx(background(t), func(context.Context, *Session) error { ran++; return nil }))
		if begun != 1 || ran != 1 {
			t.Errorf("it was begun on it %d times, and ran %d times; want once each", begun, ran)
		}
		db.isIdle(t)
	})
}

// TestAWaitThatBeginsAgain, after a connection that was of no use, is a wait too.
func TestAWaitThatBeginsAgain(t *testing.T) {
	db := open(t, sqliteURL(t), Options{MaxConns: 1, PoolWait: soon})
	defer holdAll(t, db)()
	turn := db.core.waits.turn(background(t))
	_, err := taken(turn, func(context.Context) (int, error) { return 0, driver.ErrBadConn })
	if !errors.Is(err, driver.ErrBadConn) {
		t.Fatal(err)
	}
	turn.Done()
	<-turn.Done()
	unavailable(t, "the second wait", turn.Err())
	turn.end()
}

// TestMigrationsWaitForTheirConnection as for each other.
func TestMigrationsWaitForTheirConnection(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 1, PoolWait: time.Nanosecond})
		release := holdAll(t, db)
		done := make(chan error)
		go func() {
			done <- db.once(unlimited(background(t)), func(context.Context, *Session) error { return nil })
		}()
		eventually(t, "it waits", func() bool { return db.Stats().WaitCount > 0 })
		release()
		succeeds(t, "a migration", <-done)
	})
}

// TestASharedReadOfAPoolThatStandsStill: who has waited for others' execution does
// not begin to wait for a connection where none is to be had, but runs by itself
// where there is one.
func TestASharedReadOfAPoolThatStandsStill(t *testing.T) {
	for name, c := range map[string]struct {
		limit  time.Duration
		held   bool
		itself bool
		want   string
	}{
		"no connection is free":                   {patience, true, false, (&poolError{patience}).Error()},
		"one is free":                             {patience, false, true, "2"},
		"none is free, but not for that long yet": {time.Hour, true, true, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, sqliteURL(t), Options{MaxConns: 1, PoolWait: c.limit})
			if c.held {
				defer holdAll(t, db)()
			}
			s := shares[*Result]{waits: &db.core.waits}
			h := newHeldRead()
			first := asks(t.Context(), &s, 1, h.run)
			<-h.began
			other := asks(t.Context(), &s, 1, h.run)
			if c.itself {
				<-h.began // though the first has not ended, or the test hangs
				h.end <- nil
			} else {
				other()
			}
			h.end <- nil
			first()
			if got := other()[0]; got != c.want {
				t.Errorf("it is told %s; want %s", got, c.want)
			}
			s.forgets(t)
		})
	}
}

func TestOpenRefusesANegativePoolWait(t *testing.T) {
	if _, err := Open("postgres://u@localhost:1/db", Options{PoolWait: -1}); err == nil || !strings.Contains(err.Error(), "PoolWait -1ns") {
		t.Errorf("got %v", err)
	}
}
