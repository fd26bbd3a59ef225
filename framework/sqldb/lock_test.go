package sqldb

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"
)

// lockedRow is a database of two rows. Another transaction holds the
// first until release is called.
func lockedRow(t *testing.T, o Options) (db *DB, release func()) {
	t.Helper()
	url := postgresURL(t)
	db, other := open(t, url, o), open(t, url, Options{})
	script(t, other, counter)
	tx, err := other.BeginTx(background(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.Exec("UPDATE c SET n = 5 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	return db, func() { _ = tx.Rollback() }
}

// TestLockTimeout: more writers than there are connections want one row that
// is held elsewhere. With a statement timeout of an hour, nothing but the lock
// timeout frees their connection for others. There is one connection, so that no two
// statements wait for the row together: see Locked.
func TestLockTimeout(t *testing.T) {
	db, release := lockedRow(t, Options{LockTimeout: 50 * time.Millisecond, StatementTimeout: time.Hour, MaxConns: 1})
	add := func(id int) (runs int, err error) {
		err = db.InTx(background(t), func(ctx context.Context, s *Session) error {
			runs++
			_, err := s.Exec(ctx, db.NewRaw("UPDATE c SET n = n + 1 WHERE id = ?", Param(id)))
			return err
		})
		return runs, err
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			runs, err := add(1)
			if f, ok := Classify(err); !ok || f.Kind != Locked || runs != 1 {
				t.Errorf("%v is %v after %d runs, want locked after one", err, f.Kind, runs)
			}
		})
	}
	wg.Wait()
	if _, err := add(2); err != nil {
		t.Errorf("a row that nobody holds: %v", err)
	}
	if n := one[int](t, db.Session(), "SELECT sum(n)::int FROM c"); n != 1 {
		t.Errorf("the sum is %d, want 1", n)
	}
	release()
	if _, err := add(1); err != nil {
		t.Errorf("after the row was let go of: %v", err)
	}
}

// TestLimitsOfASession checks the settings that a connection sends to its server.
func TestLimitsOfASession(t *testing.T) {
	for _, c := range []struct {
		name, parameters string
		options          Options
		lock, statement  string
	}{
		{"by default", "", Options{}, "5s", "10s"},
		{"long statements", "", Options{StatementTimeout: time.Hour}, "5s", "1h"},
		{"short statements", "", Options{StatementTimeout: 3 * time.Second}, "1500ms", "3s"},
		{"both given", "", Options{StatementTimeout: 2 * time.Second, LockTimeout: time.Second}, "1s", "2s"},
		{"by the URL", "&lock_timeout=7000", Options{}, "7s", "10s"},
		{"behind a pooler, the role's", "", Options{NoPrepare: true, LockTimeout: time.Second}, "0", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := postgresURL(t)
			if !strings.Contains(url, "?") {
				url += "?"
			}
			db := open(t, url+c.parameters, c.options)
			for setting, want := range map[string]string{"lock_timeout": c.lock, "statement_timeout": c.statement} {
				if got := one[string](t, db.Session(), "SHOW "+setting); got != want {
					t.Errorf("%s is %s, want %s", setting, got, want)
				}
			}
		})
	}
}

func TestOpenRefusesALockTimeoutThatNeverComes(t *testing.T) {
	for _, o := range []Options{
		{LockTimeout: 10 * time.Second}, {LockTimeout: 2 * time.Second, StatementTimeout: 2 * time.Second}, {LockTimeout: time.Hour, StatementTimeout: time.Minute},
	} {
		if _, err := Open("postgres://u@localhost:1/db", o); err == nil || !strings.Contains(err.Error(), "must be less than StatementTimeout") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := Open("postgres://u@localhost:1/db", Options{LockTimeout: -1}); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("got %v", err)
	}
}

// TestForNoKeyUpdate: a row that is held so cannot be changed or held by others,
// but rows that refer to it can be inserted; one that is held by ForUpdate
// cannot even be referred to; one that is held by ForKeyShare cannot be deleted.
func TestForNoKeyUpdate(t *testing.T) {
	url := postgresURL(t)
	db, other := open(t, url, Options{}), open(t, url, Options{LockTimeout: 50 * time.Millisecond})
	script(t, db, counter+"\n--bun:split\nCREATE TABLE child (c {{bigint}} NOT NULL REFERENCES c (id))")
	const refers, changes = "INSERT INTO child (c) VALUES (1)", "UPDATE c SET n = n + 1 WHERE id = 1"
	row := func() *bun.SelectQuery { return db.NewSelect().Table("c").Column("n").Where("id = 1") }
	for _, c := range []struct {
		name      string
		hold      func(Kind, *bun.SelectQuery) *bun.SelectQuery
		statement string
		waits     bool
	}{
		{"held without the key, referred to", Kind.ForNoKeyUpdate, refers, false},
		{"held without the key, changed", Kind.ForNoKeyUpdate, changes, true},
		{"held without the key, held again", Kind.ForNoKeyUpdate, PostgreSQL.ForNoKeyUpdate(row()).String(), true},
		{"held without the key, deleted", Kind.ForNoKeyUpdate, "DELETE FROM c WHERE id = 1", true},
		{"held, referred to", Kind.ForUpdate, refers, true},
		{"held as by a reference, referred to", Kind.ForKeyShare, refers, false},
		{"held as by a reference, changed", Kind.ForKeyShare, changes, false},
		{"held as by a reference, held again", Kind.ForKeyShare, PostgreSQL.ForKeyShare(row()).String(), false},
		{"held as by a reference, deleted", Kind.ForKeyShare, "DELETE FROM c WHERE id = 1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
				if _, err := s.Exec(ctx, c.hold(db.Kind(), row())); err != nil {
					return err
				}
				_, err := other.NewRaw(c.statement).Exec(ctx)
				if f, _ := Classify(err); (f.Kind == Locked) != c.waits || !c.waits && err != nil {
					t.Errorf("%s: %v", c.statement, err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// On SQLite, which has one writer, neither lock is written.
func TestLocksOfSQLite(t *testing.T) {
	db := open(t, sqliteURL(t), Options{})
	for _, lock := range []func(Kind, *bun.SelectQuery) *bun.SelectQuery{Kind.ForUpdate, Kind.ForNoKeyUpdate} {
		if q := lock(db.Kind(), db.NewSelect().Table("c")).String(); strings.Contains(q, "FOR") {
			t.Error(q)
		}
	}
}
