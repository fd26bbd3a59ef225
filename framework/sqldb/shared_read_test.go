package sqldb

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// TestNoReadMissesACommit: one connection writes and 32 read the same. Each read includes
// what was committed before it began. The test requires that some of the reads
// shared an execution.
func TestNoReadMissesACommit(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, n {{bigint}})")
		run(t, db.Session(), "INSERT INTO t VALUES (1, 0)")
		var statements, asked, committed atomic.Int64
		db.Observe(func(_ context.Context, e Event) {
			if len(e.SQL) > 6 && e.SQL[:6] == "SELECT" {
				statements.Add(1)
			}
		})
		ctx, stop := context.WithCancel(background(t))
		defer stop()
		var readers sync.WaitGroup
		for range 32 {
			readers.Go(func() {
				for ctx.Err() == nil {
					before := committed.Load()
					asked.Add(1)
					r, err := db.Session().Read(ctx, db.NewRaw("SELECT n FROM t WHERE id = ?", Param(1)))
					if err != nil {
						if ctx.Err() == nil {
							t.Error(err)
						}
						return
					}
					if got := r.Row(0)[0].(int64); got < before {
						t.Errorf("a read that began after commit %d sees %d", before, got)
						return
					}
				}
			})
		}
		for n := range 300 {
			run(t, db.Session(), "UPDATE t SET n = ? WHERE id = ?", Param(n+1), Param(1))
			committed.Store(int64(n + 1))
		}
		stop()
		readers.Wait()
		if s, a := statements.Load(), asked.Load(); s >= a {
			t.Errorf("%d reads were %d statements: none shared", a, s)
		}
	})
}
