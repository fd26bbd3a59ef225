package sqldb

import (
	"errors"
	"sync"
	"testing"

	"github.com/uptrace/bun"
)

func testBusyPools(t *testing.T, p *pair) {
	for name, pool := range map[string]func(*DB) *DB{
		"the replica's": func(db *DB) *DB { return db.replica.db },
		"the primary's": func(db *DB) *DB { return db },
	} {
		t.Run(name, func(t *testing.T) {
			var told tellings
			db := p.process(t, Options{MaxConns: 2, QueueTimeout: soon, ReplicaChanged: told.add})
			eventually(t, "a read is refused", func() bool {
				p.used(t, db)
				before := len(told.all())
				release := holdAll(t, pool(db))
				_, err := db.Session().Replica().Read(visiting(t), bun.SafeQuery("SELECT n FROM t"))
				release()
				if !IsOverloaded(err) {
					return false // the replica was late
				}
				if n := len(told.all()); n != before {
					t.Errorf("then it is told %v", told.last())
				}
				return true
			})
			p.used(t, db)
		})
	}
}

// testFrozenReplica: reads that wait for its pool behind those that it does not
// answer are the primary's.
func testFrozenReplica(t *testing.T, p *pair) {
	var told tellings
	db := p.process(t, Options{MaxConns: 2 * frozenReaders, QueueTimeout: soon, ReplicaChanged: told.add}) // no read waits for the primary
	eventually(t, "reads wait for its pool", func() bool {                                                 // what is known of it is known for a second
		p.used(t, db)
		readFrozen(t, p, db, &told)
		return db.replica.db.QueueStats().Shed > 0
	})
}

// frozenReaders is how many requests read at the same time.
const frozenReaders = 10

func readFrozen(t *testing.T, p *pair, db *DB, told *tellings) {
	t.Helper()
	release := holdAll(t, db.replica.db) // as by reads that are not answered
	defer release()
	if _, err := db.replica.standby.Lag(background(t)); err != nil { // so that reads go to its pool at once
		t.Fatal(err)
	}
	thaw, err := p.standby.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { succeeds(t, "thawing it", thaw()) }()
	var all sync.WaitGroup
	for range frozenReaders {
		all.Go(func() {
			for range 5 {
				_, err := db.Session().Replica().Read(visiting(t), bun.SafeQuery("SELECT n FROM t"))
				succeeds(t, "a read", err)
			}
		})
	}
	all.Wait()
	if got := told.last(); !errors.Is(got, errSilent) {
		t.Errorf("told %v; want that the replica does not answer", got)
	}
}
