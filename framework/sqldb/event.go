package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// Event is one statement that reached the database.
type Event struct {
	// SQL is the text as sent. It contains numbers and booleans without [Param]. It
	// contains all values with NoPrepare, on PostgreSQL with SetLocal or ReadOnly, in bun's
	// own queries, with more than 32,000 values, and in statements in which PostgreSQL
	// cannot infer the type of a value.
	SQL string
	// Args are the values sent beside the text, in their order.
	Args []any
	// Duration ends when the statement has ended. If the caller reads the rows one by one,
	// as with [Session.Query], and for statements with rows in a transaction, it ends with
	// the first row.
	Duration time.Duration
	// Err is the error of the statement, nil if it succeeded. It does not include an error that
	// occurs after the time of Duration, when later rows are read.
	Err error
	// Control is true for BEGIN, COMMIT and ROLLBACK.
	Control bool
	// Replica is true for a statement that went to the replica.
	Replica bool
}

// Observe registers a function that is called after every statement that reaches the
// database through this DB, by whichever way: a Session, bun's own queries, migrations.
// Statements with which the DB sets up or checks a connection, or checks whether the server
// answers, are not reported. Functions are called in the order they were registered, on the
// goroutine of the statement, so they must be fast, safe for concurrent use and must not
// use the database. A panic of one goes to slog's default and fails no statement.
func (db *DB) Observe(fn func(ctx context.Context, e Event)) {
	db.observers.add(fn)
}

type observers struct {
	mu  sync.Mutex
	fns atomic.Pointer[[]func(context.Context, Event)]
}

func (o *observers) add(fn func(context.Context, Event)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := append(append([]func(context.Context, Event){}, o.all()...), fn)
	o.fns.Store(&next)
}

func (o *observers) all() []func(context.Context, Event) {
	if fns := o.fns.Load(); fns != nil {
		return *fns
	}
	return nil
}

// report returns a function that reports a statement to the observers. It omits a statement
// that was never sent, because its connection was closed before, or because bun could not
// render it.
func (o *observers) report(replica bool) func(context.Context, connection.Statement) {
	return func(ctx context.Context, s connection.Statement) {
		fns := o.all()
		if len(fns) == 0 || errors.Is(s.Err, driver.ErrBadConn) || errors.Is(s.Err, sqltext.ErrUnrendered) {
			return
		}
		e := Event{SQL: s.Text, Args: plainArgs(s.Args), Duration: time.Since(s.Start), Err: s.Err, Control: s.Control, Replica: replica}
		for _, fn := range fns {
			tell(ctx, fn, e)
		}
	}
}

func tell(ctx context.Context, fn func(context.Context, Event), e Event) {
	defer fault.LogPanic(ctx)
	fn(ctx, e)
}

func plainArgs(args []driver.NamedValue) []any {
	if len(args) == 0 {
		return nil
	}
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

// Operation names what the statement does: "select", "insert", "update", "delete", "begin",
// "commit", "rollback", or "other". A statement that begins with WITH has the name of its
// first insert, update or delete, or else "select". There are no other names, so it can be a
// label of a metric.
func (e Event) Operation() string {
	return sqltext.Operation(e.SQL)
}

// Failure names the kind of the statement's error: its [FaultKind] in words, "canceled" if
// the context of the statement was cancelled, "other" for any other error, and "" without
// an error. There are no other names, so it can be a label of a metric.
func (e Event) Failure() string {
	if e.Err == nil {
		return ""
	}
	if failure, ok := Classify(e.Err); ok {
		return failure.Kind.String()
	}
	if errors.Is(e.Err, context.Canceled) {
		return "canceled"
	}
	return Other.String()
}
