package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/sqldb/internal/sqltext"
)

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
				db.writes.Joins.Keep(sqltext.JoinedKey{Text: text, N: 2}, c.joined)
			}
			var answers [2]string
			var all sync.WaitGroup
			for i := range answers {
				all.Go(func() { answers[i] = writeOutcome(db.Session().Write(background(t), db.renaming(i, "new", 1), i)) })
			}
			waits(t, db, text, 2)
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
			if got := db.writes.Apart(text); got != c.apart {
				t.Errorf("they are not tried together again: %v; want %v", got, c.apart)
			}
		})
	}
}

// runs waits until the given number of statements run that write. One that does not
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

// TestTooLateToWrite: a write whose error is a timeout wrote nothing, and does not write
// later when there is a connection.
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
		waits(t, db, line, 2)
		release()
		waits(t, db, line, 0)
		cancel()
		all.Wait()
		if err := busy.Close(); err != nil {
			t.Error(err)
		}
		eventually(t, "no place is left", func() bool { return db.writes.Lines() == 0 })
		if db.writes.Apart(line) {
			t.Error("they are not tried together again, though nothing is wrong with them")
		}
		if got, want := rowsOf(t, db), "0 old 0 0, 1 old 1 0"; got != want {
			t.Errorf("the rows are %s; want %s", got, want)
		}
	})
}

// TestWritesOfOtherKeys: two texts may be one key to the database, so writes whose key is
// a text are never sent together.
func TestWritesOfOtherKeys(t *testing.T) {
	db := open(t, postgresURL(t), Options{})
	script(t, db, accounts)
	run(t, db.Session(), "INSERT INTO t VALUES (1, 'old', 0)")
	_, release := db.hold(db.renaming(1, "", 0))
	defer release()
	for _, key := range []any{"1", 1.0, nil, []byte("1")} {
		if got := writeOutcome(db.Session().Write(background(t), db.renaming(1, "new", 1), key)); got != "new" {
			t.Errorf("%v: answered %s", key, got)
		}
	}
}
