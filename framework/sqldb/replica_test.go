package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/internal/testserver/postgres"
)

// A pair is a primary and its standby, and the reports of a DB of both.
type pair struct {
	cluster *postgres.Cluster
	standby *postgres.Standby
}

// setting is a URL with one setting of its sessions.
func setting(t *testing.T, raw, name, value string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// primary is the URL of the primary. Commits are answered when they are flushed, as on a
// server that is not for tests.
func (p *pair) primary(t *testing.T) string {
	t.Helper()
	return setting(t, p.cluster.URL(), "synchronous_commit", "on")
}

// process is a DB of the pair, as each process of a program has one.
func (p *pair) process(t *testing.T, o Options) *DB {
	t.Helper()
	o.Replica = p.standby.URL()
	return open(t, p.primary(t), o)
}

// fromStandby reports whether the standby answers a read.
func fromStandby(t *testing.T, db *DB) bool {
	t.Helper()
	found, err := db.Session().Replica().Read(background(t), bun.SafeQuery("SELECT pg_is_in_recovery()"))
	if err != nil {
		t.Fatal(err)
	}
	return found.Row(0)[0].(bool)
}

// used waits until reads go to the replica.
func (p *pair) used(t *testing.T, dbs ...*DB) {
	t.Helper()
	for _, db := range dbs {
		eventually(t, "reads go to the replica", func() bool { return fromStandby(t, db) })
	}
}

// TestReplica is one test, because a pair takes seconds to make: the last of its
// cases is what makes an end of it.
func TestReplica(t *testing.T) {
	cluster, standby := postgres.Replicated(t)
	p := &pair{cluster, standby}
	script(t, open(t, p.primary(t), Options{}), `
		CREATE TABLE t (id {{bigint}} PRIMARY KEY, n {{bigint}} NOT NULL);
		INSERT INTO t SELECT id, 0 FROM generate_series(1, 8) AS id;
		CREATE UNLOGGED TABLE unlogged (id {{bigint}});
		CREATE VIEW held AS SELECT id, CASE WHEN pg_is_in_recovery() THEN pg_sleep(30)::text END AS slept FROM t WHERE id = 1;
		CREATE FUNCTION lock_of_standby() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
			IF pg_is_in_recovery() THEN RAISE EXCEPTION 'it is locked' USING ERRCODE = '55P03'; END IF;
			RETURN NULL;
		END $$;
		CREATE VIEW locked AS SELECT id, lock_of_standby() AS waited FROM t WHERE id = 1`)
	for _, c := range []struct {
		name string
		test func(*testing.T, *pair)
	}{
		{"what only reads goes to the replica, and nothing else", testWhatGoesToTheReplica},
		{"no read misses a commit of another process", testNoReadMissesACommit},
		{"nor where commits are answered before they are flushed", testUnflushedCommits},
		{"many at once read what was committed", testReplicaAtOnce},
		{"a count is made on the replica, and once", testCountsOfAReplica},
		{"a statement that a standby refuses is the primary's from then on", testRefusedByAStandby},
		{"a read during which a connection is made is made again", testConnectionsToAReplica},
		{"what takes too long there is not begun again", testTooLongOnAReplica},
		{"one that is frozen fails no read", testFrozenReplica},
		{"a pool that stands still is no fault of the replica", testBusyPools},
		{"a read in the way of what is replayed is made on the primary", testRecoveryConflict},
		{"one that is paused holds up a read only for a moment", testPausedReplica},
		{"one that is killed fails no read, and is used when it is back", testKilledReplica},
		{"one of another primary is not used", testStrangeReplica},
		{"a primary that is itself a standby has no replica", testPrimaryIsAStandby},
		{"one that is promoted is not used", testPromotedReplica},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, p) })
	}
}

func testWhatGoesToTheReplica(t *testing.T, p *pair) {
	db := p.process(t, Options{})
	p.used(t, db)
	var seen sync.Map
	db.Observe(func(_ context.Context, e Event) {
		if !e.Control && !strings.Contains(e.SQL, "pg_current_wal") && !strings.Contains(e.SQL, "pg_last_wal") {
			seen.Store(e.SQL, e.Replica)
		}
	})
	s, ctx := db.Session().Replica(), background(t)
	lookup := NewLookup(func(v Values) schema.QueryAppender {
		return bun.SafeQuery("SELECT n, id FROM t WHERE id ?", v.Key())
	})
	for name, c := range map[string]struct {
		ask     func() error
		has     string // of the statement
		replica bool
	}{
		"Read":                 {func() error { _, err := s.Read(ctx, bun.SafeQuery("SELECT n FROM t AS a")); return err }, "AS a", true},
		"ReadBy":               {func() error { _, err := s.ReadBy(ctx, lookup, int64(1), 1); return err }, "LIMIT", true},
		"Count":                {func() error { _, err := s.Count(ctx, bun.SafeQuery("SELECT count(*) FROM t AS b")); return err }, "AS b", true},
		"a session without it": {func() error { _, err := db.Session().Read(ctx, bun.SafeQuery("SELECT n FROM t AS c")); return err }, "AS c", false},
		"Query":                {func() error { return query(ctx, s, "SELECT n FROM t AS d") }, "AS d", false},
		"Exec":                 {func() error { _, err := s.Exec(ctx, bun.SafeQuery("UPDATE t AS e SET n = 0")); return err }, "AS e", false},
		"a Read that writes":   {func() error { _, err := s.Read(ctx, bun.SafeQuery("UPDATE t AS f SET n = 0 RETURNING n")); return err }, "AS f", false},
		"a Read that locks":    {func() error { _, err := s.Read(ctx, bun.SafeQuery("SELECT n FROM t AS g FOR UPDATE")); return err }, "AS g", false},
		"an unknown function":  {func() error { _, err := s.Read(ctx, bun.SafeQuery("SELECT random() FROM t AS h")); return err }, "AS h", false},
		"a Write": {func() error {
			_, err := s.Write(ctx, bun.SafeQuery("UPDATE t AS i SET n = 0 WHERE id = 1 RETURNING n"), int64(1))
			return err
		}, "AS i", false},
		"bun itself":            {func() error { _, err := s.IDB().NewRaw("SELECT n FROM t AS j").Exec(ctx); return err }, "AS j", false},
		"a Read in transaction": {func() error { return readInTx(ctx, db, "SELECT n FROM t AS k") }, "AS k", false},
		"a count in one":        {func() error { return countInTx(ctx, db, "SELECT count(*) FROM t AS l") }, "AS l", false},
	} {
		t.Run(name, func(t *testing.T) {
			seen.Clear()
			went := func() (primary, replica bool) {
				if err := c.ask(); err != nil {
					t.Fatal(err)
				}
				seen.Range(func(sql, of any) bool {
					if strings.Contains(sql.(string), c.has) {
						primary, replica = primary || of == false, replica || of == true
					}
					return true
				})
				return primary, replica
			}
			if c.replica { // as soon as that is used
				eventually(t, "it goes to the replica", func() bool { _, replica := went(); return replica })
				return
			}
			if primary, replica := went(); !primary || replica {
				t.Errorf("it went to the primary: %v, to the replica: %v", primary, replica)
			}
		})
	}
}

func query(ctx context.Context, s *Session, text string) error {
	rows, err := s.Query(ctx, bun.SafeQuery(text))
	if err != nil {
		return err
	}
	return rows.Close()
}

func readInTx(ctx context.Context, db *DB, text string) error {
	return db.InTx(ctx, func(ctx context.Context, s *Session) error {
		_, err := s.Replica().Read(ctx, bun.SafeQuery(text))
		return err
	})
}

func countInTx(ctx context.Context, db *DB, text string) error {
	return db.InTx(ctx, func(ctx context.Context, s *Session) error {
		_, err := s.Replica().Count(ctx, bun.SafeQuery(text))
		return err
	})
}

// replicaReads counts the statements that a DB sends to its replica and that contain
// a text.
func replicaReads(db *DB, has string) *atomic.Int64 {
	n := new(atomic.Int64)
	db.Observe(func(_ context.Context, e Event) {
		if e.Replica && e.Err == nil && strings.Contains(e.SQL, has) {
			n.Add(1)
		}
	})
	return n
}

// missed writes a number and reads it, by each way that there is to read.
func missed(t *testing.T, writer, reader *DB, lookup *Lookup, row, n int64) {
	t.Helper()
	run(t, writer.Session(), "UPDATE t SET n = ? WHERE id = ?", n, row)
	s, ctx := reader.Session().Replica(), background(t)
	read, err := s.Read(ctx, reader.NewRaw("SELECT n FROM t WHERE id = ?", Param(row)))
	if err != nil {
		t.Fatal(err)
	}
	by, err := s.ReadBy(ctx, lookup, row, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := s.Count(ctx, reader.NewRaw("SELECT sum(n)::bigint FROM t WHERE id = ?", Param(row)))
	if err != nil {
		t.Fatal(err)
	}
	if read.Row(0)[0] != n || by.Row(0)[0] != n || sum != n {
		t.Fatalf("after %d was committed the row has %v by Read, %v by ReadBy, %d by Count", n, read.Row(0)[0], by.Row(0)[0], sum)
	}
}

func rowLookup() *Lookup {
	return NewLookup(func(v Values) schema.QueryAppender {
		return bun.SafeQuery("SELECT n, id FROM t WHERE id ?", v.Key())
	})
}

func testNoReadMissesACommit(t *testing.T, p *pair) {
	writer, reader := p.process(t, Options{}), p.process(t, Options{})
	p.used(t, reader)
	reads := replicaReads(reader, "FROM t WHERE")
	lookup := rowLookup()
	for n := range int64(500) {
		missed(t, writer, reader, lookup, 1, n+1)
	}
	if reads.Load() == 0 {
		t.Error("none of the reads went to the replica: this test sees nothing")
	}
	t.Logf("%d of 1500 reads went to the replica", reads.Load())
}

// testUnflushedCommits: with synchronous_commit off, a reader waits for everything that was
// written, flushed or not. If that takes too long, the primary answers.
func testUnflushedCommits(t *testing.T, p *pair) {
	off := setting(t, p.cluster.URL(), "synchronous_commit", "off")
	writer, reader := open(t, off, Options{}), open(t, off, Options{Replica: p.standby.URL()})
	lookup := rowLookup()
	for n := range int64(15) {
		if n%5 == 0 { // it rests when it was too late
			p.used(t, reader)
		}
		missed(t, writer, reader, lookup, 1, n+1)
	}
}

// testReplicaAtOnce: executions that many share, while connections are made.
func testReplicaAtOnce(t *testing.T, p *pair) {
	writer, reader := p.process(t, Options{}), p.process(t, Options{})
	p.used(t, reader)
	reads := replicaReads(reader, "FROM t WHERE")
	lookup := rowLookup()
	var all sync.WaitGroup
	for row := range int64(8) {
		all.Go(func() {
			for n := range int64(60) {
				if t.Failed() {
					return
				}
				if got := raced(t, writer, reader, lookup, row+1, n+1); got != "" {
					t.Error(got)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d statements of 960 reads went to the replica", reads.Load())
}

// raced is missed for one of several that run at once.
func raced(t *testing.T, writer, reader *DB, lookup *Lookup, row, n int64) string {
	ctx := background(t)
	if _, err := writer.Session().Exec(ctx, writer.NewRaw("UPDATE t SET n = ? WHERE id = ?", n, row)); err != nil {
		return err.Error()
	}
	s := reader.Session().Replica()
	by, err := s.ReadBy(ctx, lookup, row, 1)
	if err != nil {
		return err.Error()
	}
	all, err := s.Read(ctx, reader.NewRaw("SELECT id, n FROM t WHERE id > 0 ORDER BY id"))
	if err != nil {
		return err.Error()
	}
	if by.Row(0)[0] != n || all.Row(int(row - 1))[1] != n {
		return fmt.Sprintf("after %d was committed row %d has %v by ReadBy and %v by Read", n, row, by.Row(0)[0], all.Row(int(row - 1))[1])
	}
	return ""
}

func testCountsOfAReplica(t *testing.T, p *pair) {
	db := p.process(t, Options{})
	p.used(t, db)
	made := replicaReads(db, "count(*)")
	count := func() int64 {
		t.Helper()
		n, err := db.Session().Replica().Count(background(t), bun.SafeQuery("SELECT count(*) FROM t"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	eventually(t, "a count is remembered that the replica made", func() bool {
		first, before := count(), made.Load()
		again := count()
		return first == 8 && again == 8 && made.Load() == before && before > 0
	})
	run(t, db.Session(), "INSERT INTO t VALUES (9, 0)")
	if n := count(); n != 9 {
		t.Errorf("there are %d after one was added; want 9", n)
	}
	run(t, db.Session(), "DELETE FROM t WHERE id = 9")
	if n := count(); n != 8 {
		t.Errorf("there are %d after it was deleted; want 8", n)
	}
}

func testPausedReplica(t *testing.T, p *pair) {
	var told tellings
	writer, reader := p.process(t, Options{}), p.process(t, Options{ReplicaChanged: told.add})
	p.used(t, reader)
	if err := p.standby.Pause(); err != nil {
		t.Fatal(err)
	}
	standby := open(t, p.standby.URL(), Options{})
	eventually(t, "the replay is paused", func() bool {
		return one[string](t, standby.Session(), "SELECT pg_get_wal_replay_pause_state()") == "paused"
	})
	lookup := rowLookup()
	n := int64(1000)
	eventually(t, "it is noticed that the replica is behind", func() bool { // a busy machine may be too late to notice it
		n++
		missed(t, writer, reader, lookup, 2, n)
		return errors.Is(told.last(), errBehind)
	})
	for range 20 {
		n++
		missed(t, writer, reader, lookup, 2, n)
	}
	if err := p.standby.Continue(); err != nil {
		t.Fatal(err)
	}
	p.used(t, reader)
	if got := told.last(); got != nil {
		t.Errorf("told %v; want that reads go to the replica", got)
	}
}

func testKilledReplica(t *testing.T, p *pair) {
	var told tellings
	writer, reader := p.process(t, Options{}), p.process(t, Options{ReplicaChanged: told.add})
	p.used(t, reader)
	if err := p.standby.Halt(); err != nil {
		t.Fatal(err)
	}
	lookup := rowLookup()
	var n int64
	eventually(t, "it is noticed that the replica has gone", func() bool {
		n++
		missed(t, writer, reader, lookup, 3, n)
		return told.last() != nil
	})
	for range 20 {
		n++
		missed(t, writer, reader, lookup, 3, n)
	}
	if err := p.standby.Resume(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is noticed that the replica is back", func() bool {
		n++
		missed(t, writer, reader, lookup, 3, n)
		return told.last() == nil
	})
	if all := told.all(); len(all) < 3 {
		t.Errorf("told %v; want that it was used, was not, and was", all)
	}
}

func testStrangeReplica(t *testing.T, p *pair) {
	cluster, standby := postgres.Replicated(t)
	var told tellings
	db := open(t, p.cluster.URL(), Options{Replica: standby.URL(), ReplicaChanged: told.add})
	eventually(t, "it is told that the replica is a stranger", func() bool {
		return !fromStandby(t, db) && errors.Is(told.last(), errStranger)
	})
	if found, err := db.Standby(background(t)); err != nil || !found.Stranger || found.Promoted {
		t.Errorf("it is found to be %+v, %v", found, err)
	}
	t.Run("nor is one that never was a standby", func(t *testing.T) {
		var told tellings
		db := open(t, cluster.URL(), Options{Replica: cluster.URL(), ReplicaChanged: told.add})
		eventually(t, "it is told that the replica is none", func() bool {
			return !fromStandby(t, db) && errors.Is(told.last(), errPromoted)
		})
	})
}

func testPrimaryIsAStandby(t *testing.T, p *pair) {
	var told tellings
	db := open(t, p.standby.URL(), Options{Replica: p.standby.URL(), ReplicaChanged: told.add})
	eventually(t, "it is told that the primary is none", func() bool {
		fromStandby(t, db) // which is both
		return !errors.Is(told.last(), errUntold)
	})
	if got := told.last(); got == nil || !strings.Contains(got.Error(), "reading how far the primary's log goes") {
		t.Errorf("told %v", got)
	}
}

func testPromotedReplica(t *testing.T, p *pair) {
	var told tellings
	writer, reader := p.process(t, Options{}), p.process(t, Options{ReplicaChanged: told.add})
	p.used(t, reader)
	if err := p.standby.Promote(); err != nil {
		t.Fatal(err)
	}
	promoted := open(t, p.standby.URL(), Options{})
	run(t, promoted.Session(), "UPDATE t SET n = -1") // which no client of the primary may see
	if _, err := reader.replica.db.ExecContext(background(t), "UPDATE t SET n = -2"); fault.State(err) != fault.StateReadOnly {
		t.Errorf("a connection to the replica writes: %v", err)
	}
	lookup := rowLookup()
	for n := range int64(20) {
		missed(t, writer, reader, lookup, 4, n+1)
	}
	if got := told.last(); !errors.Is(got, errPromoted) {
		t.Errorf("told %v; want that it was promoted", got)
	}
	if found, err := reader.Standby(background(t)); err != nil || !found.Promoted || found.Stranger {
		t.Errorf("it is found to be %+v, %v", found, err)
	}
}
