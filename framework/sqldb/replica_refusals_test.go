package sqldb

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/fault"
)

func testRefusedByAStandby(t *testing.T, p *pair) {
	var told tellings
	db := p.process(t, Options{ReplicaChanged: told.add})
	p.used(t, db)
	var tried atomic.Int64
	db.Observe(func(_ context.Context, e Event) {
		if e.Replica && strings.Contains(e.SQL, "unlogged") {
			tried.Add(1)
		}
	})
	run(t, db.Session(), "INSERT INTO unlogged VALUES (7)")
	for range 5 {
		p.used(t, db)
		found, err := db.Session().Replica().Read(background(t), bun.SafeQuery("SELECT id FROM unlogged"))
		if err != nil {
			t.Fatal(err)
		}
		if found.Len() != 1 || found.Row(0)[0] != int64(7) {
			t.Errorf("there are %d rows", found.Len())
		}
	}
	once := tried.Load()
	if once == 0 {
		t.Error("it was never tried: this test sees nothing")
	}
	if _, err := db.Session().Replica().Read(background(t), bun.SafeQuery("SELECT id FROM unlogged")); err != nil || tried.Load() != once {
		t.Errorf("it was tried again, or failed: %v", err)
	}
	t.Run("and one that is wrong is wrong in the primary's words", func(t *testing.T) {
		_, err := db.Session().Replica().Read(background(t), bun.SafeQuery("SELECT nothing FROM t"))
		if fault.State(err) != "42703" {
			t.Errorf("the error is %v", err)
		}
		for _, why := range told.all() {
			if fault.State(why) != "" {
				t.Errorf("a wrong statement ended the use of the replica: %v", why)
			}
		}
	})
}

func testTooLongOnAReplica(t *testing.T, p *pair) {
	db := p.process(t, Options{StatementTimeout: 300 * time.Millisecond})
	p.used(t, db)
	for statement, want := range map[string]string{"SELECT slept FROM held": "57014", "SELECT waited FROM locked": "55P03"} {
		var err error
		eventually(t, "the replica is asked", func() bool { // the primary answers at once
			_, err = db.Session().Replica().Read(background(t), bun.SafeQuery(statement))
			return err != nil
		})
		if fault.State(err) != want {
			t.Errorf("%s: the error is %v; want that of a statement that took too long", statement, err)
		}
		if db.replica.standby.Rejected(statement) {
			t.Errorf("%s is the primary's from then on", statement)
		}
	}
}

func testRecoveryConflict(t *testing.T, p *pair) {
	db := p.process(t, Options{})
	p.used(t, db)
	const statement = "SELECT id, slept FROM held"
	ctx := background(t)
	var over atomic.Bool
	var reader sync.WaitGroup
	reader.Go(func() {
		for !over.Load() { // the primary answers at once, the replica sleeps
			rows, err := db.Session().Replica().Read(ctx, bun.SafeQuery(statement))
			if err != nil || rows.Len() != 1 || rows.Row(0)[1] != nil {
				t.Errorf("answered %v, %v; want the primary's row", rows, err)
				return
			}
		}
	})
	conflicts := errorsOf(db, "40001")
	standby := open(t, p.standby.URL(), Options{})
	eventually(t, "the replica sleeps", func() bool {
		return one[int64](t, standby.Session(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == 1
	})
	over.Store(true)
	run(t, db.Session(), "ALTER TABLE t ADD COLUMN extra int") // no reader may hold the table meanwhile
	reader.Wait()
	if conflicts.Load() == 0 {
		t.Error("nothing was in the way: this test sees nothing")
	}
	if !db.replica.takes(statement) {
		t.Error("it is never tried there again, though nothing is wrong with it")
	}
	p.used(t, db)
}

// errorsOf counts the statements that failed with a code.
func errorsOf(db *DB, state string) *atomic.Int64 {
	n := new(atomic.Int64)
	db.Observe(func(_ context.Context, e Event) {
		if fault.State(e.Err) == state {
			n.Add(1)
		}
	})
	return n
}
