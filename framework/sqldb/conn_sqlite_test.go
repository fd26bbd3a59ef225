package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun/schema"
)

// sparse is a statement with a row at once, and another one after half a minute.
const sparse = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) " +
	"SELECT a.i FROM n AS a CROSS JOIN n AS b WHERE (a.i = 1 OR a.i = 30000) AND b.i = 1 OR a.i = 30000 AND b.i = ?"

// endsInTime fails the test if fn took much longer than the statement may.
func endsInTime(t *testing.T, fn func() error) {
	t.Helper()
	start := time.Now()
	err := fn()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if fault, _ := Classify(err); fault.Kind != Timeout {
		t.Errorf("the error is %v, a fault %s; want a timeout", err, fault.Kind)
	}
}

// ways are the ways in which a session reads the rows of a statement.
var ways = map[string]func(context.Context, *Session, schema.QueryAppender) error{
	"Read": func(ctx context.Context, s *Session, q schema.QueryAppender) error {
		_, err := s.Read(ctx, q)
		return err
	},
	"Query": func(ctx context.Context, s *Session, q schema.QueryAppender) error {
		rows, err := s.Query(ctx, q)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	},
	"Exec": func(ctx context.Context, s *Session, q schema.QueryAppender) error {
		_, err := s.Exec(ctx, q)
		return err
	},
}

// TestASparseScanEnds in time, also between two rows, and where the context has a
// later deadline or none.
func TestASparseScanEnds(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			db := open(t, sqliteURL(t), Options{StatementTimeout: 200 * time.Millisecond})
			endsInTime(t, func() error { return way(background(t), db.Session(), db.NewRaw(sparse, Param(1))) })
			endsInTime(t, func() error { return way(context.Background(), db.Session(), db.NewRaw(sparse, Param(1))) })
			endsInTime(t, func() error {
				return db.InTx(background(t), func(ctx context.Context, s *Session) error {
					return way(ctx, s, db.NewRaw(sparse, Param(1)))
				})
			})
			if got := one[int](t, db.Session(), "SELECT 1"); got != 1 {
				t.Errorf("afterwards 1 is %d", got)
			}
		})
	}
}

// TestASparseScanEndsWithItsContext that is cancelled while rows are read.
func TestASparseScanEndsWithItsContext(t *testing.T) {
	db := open(t, sqliteURL(t), Options{StatementTimeout: time.Minute})
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(background(t))
			defer time.AfterFunc(200*time.Millisecond, cancel).Stop()
			start := time.Now()
			if err := way(ctx, db.Session(), db.NewRaw(sparse, Param(1))); !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// TestManyStatementsEndInTime at any moment of theirs, and none ends the next one of
// its connection.
func TestManyStatementsEndInTime(t *testing.T) {
	db := open(t, sqliteURL(t), Options{MaxConns: 1})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
	for i := range 300 {
		ctx, cancel := context.WithTimeout(background(t), time.Duration(i)*time.Microsecond)
		_, err := db.Session().Read(ctx, db.NewRaw("SELECT count(*) FROM t WHERE id > ?", Param(i)))
		if fault, _ := Classify(err); err != nil && fault.Kind != Timeout {
			t.Fatalf("the error is %v", err)
		}
		cancel()
		run(t, db.Session(), "INSERT INTO t VALUES (?)", Param(i))
	}
	if n := one[int](t, db.Session(), "SELECT count(*) FROM t"); n != 300 {
		t.Errorf("there are %d rows", n)
	}
}

// slowWrite writes rows for half a minute.
const slowWrite = "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT i + ? FROM n"

// TestATransactionEndsWithAnInterruptedStatement: SQLite rolls back all of a
// transaction whose write it interrupts, and would commit each further statement by
// itself.
func TestATransactionEndsWithAnInterruptedStatement(t *testing.T) {
	for name, slow := range map[string]string{"write": slowWrite, "read": sparse} {
		t.Run(name, func(t *testing.T) {
			db := open(t, sqliteURL(t), Options{StatementTimeout: 200 * time.Millisecond})
			script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
			var statements atomic.Int64
			db.Observe(func(_ context.Context, e Event) {
				if !e.Control {
					statements.Add(1)
				}
			})
			err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
				statements.Store(0)
				if _, err := s.Exec(ctx, db.NewRaw("INSERT INTO t VALUES (?)", Param(-1))); err != nil {
					t.Error(err)
				}
				endsInTime(t, func() error {
					_, err := s.Read(ctx, db.NewRaw(slow, Param(1)))
					return err
				})
				for _, further := range []string{"INSERT INTO t VALUES (?)", "SELECT ?"} {
					_, err := s.Exec(ctx, db.NewRaw(further, Param(-2)))
					if fault, _ := Classify(err); fault.Kind != Timeout {
						t.Errorf("%s: %v; want the timeout", further, err)
					}
				}
				return nil
			})
			if fault, _ := Classify(err); fault.Kind != Timeout {
				t.Errorf("the commit is %v; want the timeout", err)
			}
			if n := statements.Load(); n != 2 {
				t.Errorf("%d statements reached the database; want 2", n)
			}
			if n := one[int](t, db.Session(), "SELECT count(*) FROM t"); n != 0 {
				t.Errorf("%d rows are stored", n)
			}
		})
	}
}

// TestATransactionEndsWithItsRollback by SQLite, for another cause than a context.
func TestATransactionEndsWithItsRollback(t *testing.T) {
	db := open(t, sqliteURL(t), Options{})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
	err := db.InTx(background(t), func(_ context.Context, s *Session) error {
		run(t, s, "INSERT INTO t VALUES (1)")
		if _, err := oneOf[int](background(t), s, "INSERT OR ROLLBACK INTO t VALUES (?) RETURNING id", Param(1)); err == nil {
			t.Error("a second row with the key is no error")
		}
		if _, err := oneOf[int](background(t), s, "INSERT INTO t VALUES (?) RETURNING id", Param(2)); err == nil {
			t.Error("a further row is no error")
		}
		return nil
	})
	if fault, _ := Classify(err); fault.Kind != Unique {
		t.Errorf("the commit is %v", err)
	}
	if n := one[int](t, db.Session(), "SELECT count(*) FROM t"); n != 0 {
		t.Errorf("%d rows are stored", n)
	}
	run(t, db.Session(), "INSERT INTO t VALUES (3)")
}

// TestAnotherProcessWrites: another DB is to the file what another process is.
func TestAnotherProcessWrites(t *testing.T) {
	url := sqliteURL(t)
	holder, db := open(t, url, Options{}), open(t, url, Options{})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
	writes := map[string]func(context.Context, int) error{
		"InTx": func(ctx context.Context, id int) error {
			return db.InTx(ctx, func(ctx context.Context, s *Session) error {
				_, err := s.Exec(ctx, db.NewRaw("INSERT INTO t VALUES (?)", Param(id)))
				return err
			})
		},
		"Exec": func(ctx context.Context, id int) error {
			_, err := db.Session().Exec(ctx, db.NewRaw("INSERT INTO t VALUES (?)", Param(id)))
			return err
		},
		"Write": func(ctx context.Context, id int) error {
			_, err := db.Session().Write(ctx, db.NewRaw("INSERT INTO t VALUES (?) RETURNING id", Param(id)), id)
			return err
		},
		"bun": func(ctx context.Context, id int) error {
			_, err := db.NewRaw("INSERT INTO t VALUES (?)", id).Exec(ctx)
			return err
		},
	}
	id := 0
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			tx, err := holder.DB.DB.BeginTx(background(t), new(sql.TxOptions))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(background(t), 300*time.Millisecond)
			defer cancel()
			id++
			endsInTime(t, func() error { return write(ctx, id) })
			if n := one[int](t, db.Session(), "SELECT count(*) FROM t WHERE id = ?", Param(id)); n != 0 {
				t.Error("what timed out is stored")
			}
			released := time.AfterFunc(300*time.Millisecond, func() {
				if err := tx.Rollback(); err != nil {
					t.Error(err)
				}
			})
			defer released.Stop()
			if err := write(background(t), id); err != nil {
				t.Errorf("a write that waits for the lock: %v", err)
			}
			if n := one[int](t, db.Session(), "SELECT count(*) FROM t WHERE id = ?", Param(id)); n != 1 {
				t.Error("it is not stored")
			}
		})
	}
	t.Run("the statement timeout ends a wait without a deadline", func(t *testing.T) {
		db := open(t, url, Options{StatementTimeout: 300 * time.Millisecond})
		tx, err := holder.DB.DB.BeginTx(background(t), new(sql.TxOptions))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		endsInTime(t, func() error {
			return db.InTx(context.Background(), func(context.Context, *Session) error { return nil })
		})
	})
}
