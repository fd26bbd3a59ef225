package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"trestle.example/framework/internal/fair"
)

// waitingMost is how many statements and transactions wait for a connection at most.
const waitingMost = 4096

// newQueue makes the queue of so many connections.
func (c *core) newQueue(conns int) *fair.Queue {
	return fair.New(fair.Options{Slots: conns, Timeout: c.options.QueueTimeout, Depth: waitingMost})
}

// An overloadError says that no connection came free in time.
type overloadError struct{ err error }

func (e *overloadError) Error() string {
	return "sqldb: waiting for a connection of the pool: " + e.err.Error() + "; other requests hold them all (Options.MaxConns, Options.QueueTimeout)"
}
func (e *overloadError) Unwrap() error { return e.err }

// IsOverloaded reports whether an error says that a request waited too long for a
// connection ([Options.QueueTimeout]), so that its statement did not run.
func IsOverloaded(err error) bool { return errors.Is(err, fair.ErrOverloaded) }

// acquire waits for the right to use a connection: that of SQLite's writer, or one
// of the others. The turn is nil for a request that holds one, which needs no other.
func (db *DB) acquire(ctx context.Context, writes bool) (*fair.Turn, error) {
	queue := db.slots
	if writes && db.core.kind == SQLite {
		queue = db.writer
	}
	if ctx.Value(txKey{}) == db || queue.Holds(ctx) {
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

// conn takes a connection of the pool. The pool has one for each turn, so that it is
// waited for only where something else took them all, such as a program's own use of
// [database/sql].
func (db *DB) conn(ctx context.Context) (bun.Conn, error) {
	left, limited := db.slots.Left(ctx)
	if pool := db.Stats(); !limited || pool.OpenConnections < pool.MaxOpenConnections { // it may be made, which takes its own time
		return db.DB.Conn(ctx)
	}
	short, cancel := context.WithTimeoutCause(ctx, left, fair.ErrOverloaded)
	defer cancel()
	c, err := db.DB.Conn(short)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(short), fair.ErrOverloaded) {
		return c, waitError(db.slots.GiveUp())
	}
	return c, err
}

// turnKey finds the turn of a query in its context: it ends when the rows are closed.
type turnKey struct{}

// query runs a query on the pool.
func (db *DB) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	turn, err := db.acquire(ctx, isWrite(text))
	if err != nil {
		return nil, err
	}
	rows, err := db.DB.DB.QueryContext(context.WithValue(ctx, turnKey{}, turn), text, args...)
	if err != nil {
		turn.End()
	}
	return rows, err
}

// exec runs a statement without rows on the pool.
func (db *DB) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	var res sql.Result
	err := db.onConn(ctx, isWrite(text), func(c *conn) (err error) {
		res, err = c.ExecContext(ctx, text, numbered(args))
		return err
	})
	return res, err
}

// slotted has the queries that bun builds wait for their connections as those of a
// [Session] do.
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
func (s slotted) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	turn, err := s.db.acquire(ctx, isWrite(text))
	if err != nil {
		return s.db.DB.DB.QueryRowContext(failed{ctx, err}, text, args...)
	}
	row := s.db.DB.DB.QueryRowContext(context.WithValue(ctx, turnKey{}, turn), text, args...)
	if row.Err() != nil {
		turn.End()
	}
	return row
}

// failed is a context that ended with an error, by which database/sql fails at once.
type failed struct {
	context.Context

	err error
}

// Done implements [context.Context].
func (failed) Done() <-chan struct{} { return closed }

// Err implements [context.Context].
func (f failed) Err() error { return f.err }

//nolint:gochecknoglobals // it never changes
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// QueueStats are how many connections statements and transactions hold, how many of
// those wait for one, and how many were not waited for any longer or shed.
type QueueStats struct {
	Used, Waiting int
	Shed          int64
}

// QueueStats counts. It is safe for concurrent use.
func (db *DB) QueueStats() QueueStats {
	all := QueueStats(db.slots.Stats())
	if db.core.kind == SQLite {
		writer := db.writer.Stats()
		all.Used, all.Waiting, all.Shed = all.Used+writer.Used, all.Waiting+writer.Waiting, all.Shed+writer.Shed
	}
	return all
}
