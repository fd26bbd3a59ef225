package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trestle.example/framework/internal/fair"
)

// forgets waits until nothing runs and nobody waits.
func (s *writes) forgets(t *testing.T) {
	t.Helper()
	eventually(t, "no place is left", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.lines) == 0
	})
}

// TestWritesThatFailTogether: what is known not to be done is done again, each by
// itself; what may be done is not.
func TestWritesThatFailTogether(t *testing.T) {
	for name, c := range map[string]struct {
		joined    string // sent in place of the writes together; "" for what it should be
		isolation string // of the database
		breaks    bool   // the connection, while they run
		answers   string
		rows      string
		apart     bool // they are not tried together again
	}{
		"they do not fail":                       {answers: "[new new]", rows: "0 new 1, 1 new 1"},
		"a server that takes no such thing":      {joined: "NONSENSE $1", answers: "[new new]", rows: "0 new 1, 1 new 1", apart: true},
		"an answer that is none":                 {joined: `SELECT 'x', $1::text, $2::text, $3::text, $4::text, $5::text, $6::text`, answers: "[none none]", rows: "0 old 0, 1 old 0"},
		"a server whose transactions are others": {isolation: "repeatable read", answers: "[new new]", rows: "0 new 1, 1 new 1", apart: true},
		"a connection that breaks":               {breaks: true, answers: "[unavailable unavailable]", rows: "0 old 0, 1 old 0"}, // the server ends what it runs
	} {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(postgresURL(t))
			if err != nil {
				t.Fatal(err)
			}
			server := open(t, u.String(), Options{})
			script(t, server, "CREATE TABLE t (id bigint PRIMARY KEY, name text, n bigint); INSERT INTO t VALUES (0, 'old', 0), (1, 'old', 0)")
			if c.isolation != "" {
				script(t, server, `ALTER DATABASE "`+strings.TrimPrefix(u.Path, "/")+`" SET default_transaction_isolation TO '`+c.isolation+`'`)
			}
			if c.breaks {
				script(t, server, `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END $$;
					CREATE TRIGGER slow BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION slow()`)
			}
			wire := newWire(t, u.Host)
			u.Host, u.RawQuery = wire.address, "sslmode=disable"
			db := open(t, u.String(), Options{})
			text, release := db.hold(db.renaming(0, "new", 1))
			if c.joined != "" {
				db.joins.keep(joinedKey{text, 2}, c.joined)
			}
			var answers [2]string
			var all sync.WaitGroup
			for i := range answers {
				all.Go(func() { answers[i] = told(db.Session().Write(background(t), db.renaming(i, "new", 1), i)) })
			}
			db.writes.waits(t, text, 2)
			release()
			if c.breaks {
				server.runs(t, 1)
				wire.cut()
			}
			all.Wait()
			server.runs(t, 0)
			if got := fmt.Sprint(answers); got != c.answers {
				t.Errorf("answered %s; want %s", got, c.answers)
			}
			if got := rowsOf(t, server); got != c.rows {
				t.Errorf("the rows are %s; want %s", got, c.rows)
			}
			if got := db.apart.has(text); got != c.apart {
				t.Errorf("they are not tried together again: %v; want %v", got, c.apart)
			}
		})
	}
}

// runs waits until so many statements run that write, of which one that does not
// sleep is only being prepared.
func (db *DB) runs(t *testing.T, want int64) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d statements run", want), func() bool {
		r, err := db.Session().Read(background(t), db.NewRaw("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'"+
			" AND query LIKE '%UPDATE t SET%' AND pid <> pg_backend_pid() AND (? = 0 OR wait_event = 'PgSleep')", Param(want)))
		if err != nil {
			t.Fatal(err)
		}
		return r.Row(0)[0] == want
	})
}

// TestTooLateToWrite: those who are told that it took too long wrote nothing, also
// not when there is a connection at last.
func TestTooLateToWrite(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, accounts)
		run(t, db.Session(), "INSERT INTO t VALUES (0, 'old 0', 0), (1, 'old 1', 0)")
		db.SetMaxOpenConns(1)
		line, release := db.hold(db.renaming(0, "", 0))
		ctx, cancel := context.WithCancel(background(t))
		busy, err := db.DB.DB.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() {
				if _, err := db.Session().Write(ctx, db.renaming(i, fmt.Sprint("late ", i), 1), i); !errors.Is(err, context.Canceled) {
					t.Errorf("told %v", err)
				}
			})
		}
		db.writes.waits(t, line, 2)
		release()
		db.writes.waits(t, line, 0)
		cancel()
		all.Wait()
		if err := busy.Close(); err != nil {
			t.Error(err)
		}
		db.writes.forgets(t)
		if db.apart.has(line) {
			t.Error("they are not tried together again, though nothing is wrong with them")
		}
		if got, want := rowsOf(t, db), "0 old 0 0, 1 old 1 0"; got != want {
			t.Errorf("the rows are %s; want %s", got, want)
		}
	})
}

// TestPlaces: who is next, and that a place is given back by whoever has it.
func TestPlaces(t *testing.T) {
	var s writes
	waits := func(row string) *write {
		w := &write{row: row, over: make(chan struct{})}
		if s.enter(w, 1) && row != "" {
			t.Fatalf("%s does not wait", row)
		}
		return w
	}
	waits("") // has the only place
	var waiting []*write
	for _, row := range []string{"c", "b", "b", "a", "d", "e"} {
		waiting = append(waiting, waits(row))
	}
	b := s.next("")
	var rows []string
	for _, w := range b.writes {
		rows = append(rows, w.row)
	}
	if got := fmt.Sprint(rows); got != "[a b c d]" {
		t.Errorf("%s are sent together", got)
	}
	for i, w := range []*write{waiting[0], waiting[1], waiting[3], waiting[4]} {
		if b.ctx.Err() != nil {
			t.Errorf("it ends when %d of them are gone", i)
		}
		if s.abandon(w) {
			t.Error("a write of a batch has a place of its own")
		}
	}
	if b.ctx.Err() == nil || len(s.remaining(b)) != 0 {
		t.Error("it goes on though nobody waits")
	}
	if last := s.next(""); len(last.writes) != 2 {
		t.Errorf("%d are sent together", len(last.writes))
	}
	alone := waits("f")
	if s.next("") != nil || !alone.alone || s.withdraw(alone) || !s.abandon(alone) {
		t.Error("one who is let go by itself has no place to give back")
	}
	if s.next(""); len(s.lines) != 0 {
		t.Error("a place is left")
	}
}

// TestWritesOfOtherKeys: two texts may be one key to the database, so what is
// told by a text is never sent together.
func TestWritesOfOtherKeys(t *testing.T) {
	db := open(t, postgresURL(t), Options{})
	script(t, db, accounts)
	run(t, db.Session(), "INSERT INTO t VALUES (1, 'old', 0)")
	_, release := db.hold(db.renaming(1, "", 0))
	defer release()
	for _, key := range []any{"1", 1.0, nil, []byte("1")} {
		if got := told(db.Session().Write(background(t), db.renaming(1, "new", 1), key)); got != "new" {
			t.Errorf("%v: answered %s", key, got)
		}
	}
}

// TestChoose: which writes are sent together. A write is its client and, on PostgreSQL,
// its row: "a1" writes row 1 for client a.
func TestChoose(t *testing.T) {
	for name, c := range map[string]struct{ waiting, chosen, left string }{
		"none waits":                                 {"", "", ""},
		"one waits":                                  {"a1", "a1", ""},
		"all of one client, in order":                {"a1 a2 a3 a4", "a1 a2 a3 a4", ""},
		"as many as a power of two":                  {"a1 a2 a3", "a1 a2", "a3"},
		"one of each client first":                   {"a1 a2 a3 a4 b5 c6 d7", "a1 b5 c6 d7", "a2 a3 a4"},
		"then the oldest":                            {"a1 a2 a3 b4", "a1 b4 a2 a3", ""},
		"no row twice":                               {"a1 b1 c2", "a1 c2", "b1"},
		"another row of a client whose row is taken": {"a1 b1 b2", "a1 b2", "b1"},
		"none but one if all write one row":          {"a1 b1 c1 d1", "a1", "b1 c1 d1"},
		"16 at most":                                 {sequence("a", 40), sequence("a", 16), sequenceFrom("a", 17, 40)},
		"a new client is not behind many of another": {sequence("a", 40) + " b41", "a1 b41 " + sequenceFrom("a", 2, 15), sequenceFrom("a", 16, 40)},
		"without rows, several of one client":        {strings.Repeat("a ", 3) + "b", "a b" + strings.Repeat(" a", 2), ""},
		"without rows, one of each client first":     {strings.Repeat("a ", 3) + "b c", "a b c a", "a"},
		"without rows, 64 at most":                   {strings.TrimSpace(strings.Repeat("a ", 100)), strings.TrimSpace(strings.Repeat("a ", 64)), strings.TrimSpace(strings.Repeat("a ", 36))},
	} {
		t.Run(name, func(t *testing.T) {
			l := &line{}
			for w := range strings.FieldsSeq(c.waiting) {
				l.waiting = append(l.waiting, &write{row: w[1:], client: fair.Client{Caller: w[:1]}})
			}
			names := func(writes []*write) string {
				var all []string
				for _, w := range writes {
					all = append(all, w.client.Caller+w.row)
				}
				return strings.Join(all, " ")
			}
			if got := names(l.choose()); got != c.chosen {
				t.Errorf("%s are sent together; want %s", got, c.chosen)
			}
			if got := names(l.waiting); got != c.left {
				t.Errorf("%s are left; want %s", got, c.left)
			}
		})
	}
}

func sequence(client string, to int) string { return sequenceFrom(client, 1, to) }

// sequenceFrom are writes of one client of different rows.
func sequenceFrom(client string, from, to int) string {
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, client+strconv.Itoa(i))
	}
	return strings.Join(all, " ")
}

// TestWaitingToWrite: how long a write waits for others, in fake time.
func TestWaitingToWrite(t *testing.T) {
	for name, c := range map[string]struct {
		kind  Kind
		left  time.Duration // for which the request may still wait; negative for the program
		moves time.Duration // each time, a write of the line is over; zero for never
		ends  time.Duration // when the context ends; zero for never
		want  error
		took  time.Duration
	}{
		"nothing moves: it runs by itself":              {PostgreSQL, time.Second, 0, 0, errApart, writesPatience},
		"less time is left than that":                   {PostgreSQL, writesPatience / 4, 0, 0, fair.ErrOverloaded, writesPatience / 4},
		"others are over, until no time is left":        {PostgreSQL, time.Second, writesPatience / 2, 0, fair.ErrOverloaded, time.Second},
		"others are over, and little more time is left": {PostgreSQL, writesPatience * 5 / 4, writesPatience / 2, 0, fair.ErrOverloaded, writesPatience * 5 / 4},
		"no time is left":                               {PostgreSQL, 0, writesPatience / 2, 0, fair.ErrOverloaded, 0},
		"the context ends":                              {PostgreSQL, time.Second, 0, writesPatience / 2, context.Canceled, writesPatience / 2},
		"the program waits while others are over":       {PostgreSQL, -1, writesPatience / 2, 3 * time.Second, context.Canceled, 3 * time.Second},
		"the program runs by itself too":                {PostgreSQL, -1, 0, 0, errApart, writesPatience},
		"on SQLite it waits while nothing moves":        {SQLite, time.Second, 0, 0, fair.ErrOverloaded, time.Second},
		"on SQLite no time is left":                     {SQLite, 0, 0, 0, fair.ErrOverloaded, 0},
		"on SQLite the program waits for its context":   {SQLite, -1, 0, 3 * time.Second, context.Canceled, 3 * time.Second},
		"on SQLite it runs by itself without a context": {SQLite, -1, 0, 0, errApart, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := &DB{core: &core{kind: c.kind, options: Options{StatementTimeout: 10 * time.Second}}, slots: fair.New(fair.Options{Slots: 1, Timeout: time.Minute})}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.left >= 0 {
					ctx = fair.With(ctx, fair.Client{Caller: "ada"})
					fair.Waited(ctx, time.Minute-c.left)
				}
				if c.ends > 0 {
					time.AfterFunc(c.ends, cancel)
				}
				holder := &write{line: "l"}
				db.writes.enter(holder, 1)
				stop := make(chan struct{})
				defer close(stop)
				if c.moves > 0 {
					go func() {
						for {
							select {
							case <-time.After(c.moves):
								db.writes.mu.Lock()
								if l := db.writes.lines["l"]; l != nil {
									l.moved = time.Now()
								}
								db.writes.mu.Unlock()
							case <-stop:
								return
							}
						}
					}()
				}
				w := &write{line: "l", over: make(chan struct{})}
				db.writes.enter(w, 1)
				began := time.Now()
				err := db.wait(ctx, w)
				if took := time.Since(began); !errors.Is(err, c.want) || took != c.took {
					t.Errorf("it ends with %v after %s; want %v after %s", err, took, c.want, c.took)
				}
				if n := len(db.writes.lines["l"].waiting); n != 0 {
					t.Errorf("%d still wait; want none", n)
				}
				if b := db.writes.next("l"); b != nil || len(db.writes.lines) != 0 {
					t.Error("a place is left")
				}
			})
		})
	}
}
