package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/internal/fair"
)

// waitingMost limits how many statements and transactions wait for a connection.
const waitingMost = 4096

func (c *core) newQueue(conns int) *fair.Queue {
	return fair.New(fair.Options{Slots: conns, Timeout: c.options.QueueTimeout, Depth: waitingMost})
}

// An overloadError says that no connection came free in time.
type overloadError struct{ err error }

func (e *overloadError) Error() string {
	return "sqldb: waiting for a connection of the pool: " + e.err.Error() + "; other requests hold them all (Options.MaxConns, Options.QueueTimeout)"
}
func (e *overloadError) Unwrap() error { return e.err }

// acquire waits for a slot: that of SQLite's writer, or one of the others. The turn is
// nil for a request that holds a slot, which needs no other.
func (db *DB) acquire(ctx context.Context, writes bool) (*fair.Turn, error) {
	queue := db.slots
	if writes && db.core.kind == SQLite {
		queue = db.writer
	}
	if ctx.Value(txKey{}) == db || db.writer.Holds(ctx) || queue.Holds(ctx) {
		return nil, ctx.Err()
	}
	ctx, cancel := db.core.deadline(ctx)
	defer cancel()
	turn, err := queue.Acquire(ctx)
	return turn, waitError(err)
}

// waitError is the error of a wait for a connection.
func waitError(err error) error {
	switch {
	case err == nil:
		return nil
	case IsOverloaded(err):
		return &overloadError{err}
	}
	return fmt.Errorf("sqldb: waiting for a connection: %w", err)
}

// conn takes a connection of the pool, which has one for each slot. A request waits for
// the pool if the program took connections itself, by [database/sql], or if it needs a
// second connection; then no longer than for a slot.
func (db *DB) conn(ctx context.Context) (bun.Conn, error) {
	left, limited := db.slots.Left(ctx)
	if pool := db.Stats(); !limited || pool.InUse < pool.MaxOpenConnections {
		return db.DB.Conn(ctx)
	}
	short, cancel := context.WithTimeoutCause(ctx, left, fair.ErrOverloaded)
	defer cancel()
	began := time.Now()
	c, err := db.DB.Conn(short)
	fair.Waited(ctx, time.Since(began))
	if err != nil && ctx.Err() == nil && IsOverloaded(context.Cause(short)) {
		err = waitError(db.slots.GiveUp())
	}
	return c, err
}

// turnKey finds the turn of a query in its context. It ends when the rows are closed.
type turnKey struct{}

// query runs a query on the pool.
func (db *DB) query(ctx context.Context, text string, args ...any) (rows *sql.Rows, err error) {
	turn, err := db.acquire(ctx, isWrite(text))
	if err != nil {
		return nil, err
	}
	defer func() {
		if rows == nil { // also after a panic
			turn.End()
		}
	}()
	return db.DB.DB.QueryContext(context.WithValue(ctx, turnKey{}, turn), text, args...) //nolint:sqlclosecheck // the caller closes them
}

// exec runs a statement without rows on the pool.
func (db *DB) exec(ctx context.Context, text string, args ...any) (res sql.Result, err error) {
	err = db.onConn(ctx, isWrite(text), func(c *conn) (err error) {
		res, err = c.ExecContext(ctx, text, numbered(args))
		return err
	})
	return res, err
}

// slotted lets the queries that bun builds wait for slots, as those of a [Session] do.
// It implements [bun.ConnResolver] and [bun.IConn].
type slotted struct{ db *DB }

// ResolveConn implements [bun.ConnResolver].
func (s slotted) ResolveConn(context.Context, bun.Query) bun.IConn { return s }

// Close implements [bun.ConnResolver].
func (s slotted) Close() error { return nil }

// QueryContext implements [bun.IConn].
func (s slotted) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return s.db.query(ctx, text, args...)
}

// ExecContext implements [bun.IConn].
func (s slotted) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return s.db.exec(ctx, text, args...)
}

// QueryRowContext implements [bun.IConn].
func (s slotted) QueryRowContext(ctx context.Context, text string, args ...any) (row *sql.Row) {
	turn, err := s.db.acquire(ctx, isWrite(text))
	if err != nil {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		return s.db.DB.DB.QueryRowContext(failed{ended, err}, text, args...)
	}
	defer func() {
		if row == nil || row.Err() != nil {
			turn.End()
		}
	}()
	return s.db.DB.DB.QueryRowContext(context.WithValue(ctx, turnKey{}, turn), text, args...)
}

// failed is a context that ended with an error. database/sql puts that into a [sql.Row].
type failed struct {
	context.Context

	err error
}

// Err implements [context.Context].
func (f failed) Err() error { return f.err }

// QueueStats are how many connections are held by statements and transactions, how many
// of these wait for one, and how many waited too long or were shed so far.
type QueueStats struct {
	Used, Waiting int
	Shed          int64
}

// QueueStats returns the numbers of this moment. It is safe for concurrent use.
func (db *DB) QueueStats() QueueStats {
	all, writer := db.slots.Stats(), db.writer.Stats() // PostgreSQL does not use the writer's
	return QueueStats{Used: all.Used + writer.Used, Waiting: all.Waiting + writer.Waiting, Shed: all.Shed + writer.Shed}
}
