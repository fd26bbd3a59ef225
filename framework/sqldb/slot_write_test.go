package sqldb

import (
	"context"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/batch"
)

// TestTheWriterDoesNotWaitForAReader: a write that holds SQLite's writer needs no slot of
// the others. A request with open rows may hold that slot and wait for the writer.
func TestTheWriterDoesNotWaitForAReader(t *testing.T) {
	db := open(t, sqliteURL(t), Options{MaxConns: 1, QueueTimeout: time.Minute})
	script(t, db, counter)
	defer db.pool.Slots.Enter(fair.Client{}).End()
	ctx, cancel := context.WithTimeout(visiting(t), 5*time.Second)
	defer cancel()
	_, err := db.Session().Write(ctx, db.NewRaw("WITH x AS (SELECT 1) UPDATE c SET n = n + 1 WHERE id = ? RETURNING n", Param(2)), 2)
	succeeds(t, "a write that begins with WITH", err)
}

// TestAWriteDoesNotWaitForTheRankOfAnother: on SQLite the writes of clients are sent in
// one line. The line's turn has the rank of the first client in it.
func TestAWriteDoesNotWaitForTheRankOfAnother(t *testing.T) {
	for name, more := range map[string]int{"behind one write": 0, "behind more writes than one transaction takes": 2 * batch.TransactionMost} {
		t.Run(name, func(t *testing.T) { behindMallory(t, more) })
	}
}

// behindMallory has bob write behind so many more writes of mallory, who used the writer
// most.
func behindMallory(t *testing.T, more int) {
	t.Helper()
	db := open(t, sqliteURL(t), Options{QueueTimeout: time.Minute})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
	as := func(name string) context.Context {
		return fair.With(t.Context(), fair.Client{Caller: name, Address: name})
	}
	uses := func(name string, d time.Duration) { // which does not fade here as quickly as it is made
		turn, err := db.pool.Writer.Acquire(as(name))
		if err != nil {
			t.Fatal(err)
		}
		turn.EndFined(d)
	}
	uses("mallory", 1000*time.Hour)
	uses("carol", time.Hour)
	holder, err := db.pool.Writer.Acquire(as("dave"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	waiting := 0
	begin := func(name string, f func(ctx context.Context) error) {
		t.Helper()
		waiting++
		all.Go(func() {
			if err := f(as(name)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		eventually(t, name+" waits for the writer", func() bool { return db.pool.Writer.Stats().Waiting == waiting })
	}
	write := func(id int64) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := db.Session().Write(ctx, db.NewRaw("INSERT INTO t VALUES (?) RETURNING id", Param(id)), id)
			return err
		}
	}
	before := 0
	begin("carol", func(ctx context.Context) error {
		return db.InTx(ctx, func(ctx context.Context, s *Session) (err error) {
			before, err = oneOf[int](ctx, s, "SELECT count(*) FROM t")
			return err
		})
	})
	begin("mallory", write(1))
	for i := range more {
		all.Go(func() {
			if err := write(int64(3 + i))(as("mallory")); err != nil {
				t.Errorf("mallory: %v", err)
			}
		})
	}
	waits(t, db, "", more)
	begin("bob", write(2))
	holder.End()
	all.Wait()
	if before == 0 {
		t.Error("carol, who used more than bob, is before the line in which bob waits; want her after its first statement")
	}
}
