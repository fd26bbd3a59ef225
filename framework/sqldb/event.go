package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Event is one statement that reached the database.
type Event struct {
	// SQL is the text as sent. With NoPrepare, and in bun's own queries, it
	// holds the values.
	SQL string
	// Args are the values sent beside the text, in their order.
	Args []any
	// Duration runs until the statement answered; for a query that is its
	// first row.
	Duration time.Duration
	// Err is what the statement failed with, nil if it did not.
	Err error
	// Control is true for BEGIN, COMMIT and ROLLBACK.
	Control bool
	// Replica is true for a statement that went to the replica.
	Replica bool
}

// Observe registers a function that is called after every statement that
// reaches the database through this DB, by whichever way: a Session, bun's own
// queries, migrations. Functions are called in the order they were registered,
// on the goroutine of the statement, so they must be fast, safe for concurrent
// use and must not use the database. A panic of one goes to slog's default and
// fails no statement.
func (db *DB) Observe(fn func(ctx context.Context, e Event)) {
	db.core.observers.add(fn)
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

// report tells the observers of a statement. One that was never sent is left
// out: its connection had gone, and database/sql sends it again, or it could
// not be rendered.
func (c *core) report(ctx context.Context, query string, args []driver.NamedValue, start time.Time, err error, control bool) {
	fns := c.observers.all()
	if c.standby != nil {
		fns = c.standby.primary.core.observers.all()
	}
	if len(fns) == 0 || errors.Is(err, driver.ErrBadConn) || errors.Is(err, errUnrendered) {
		return
	}
	e := Event{SQL: query, Args: plainArgs(args), Duration: time.Since(start), Err: err, Control: control, Replica: c.standby != nil}
	for _, fn := range fns {
		tell(ctx, fn, e)
	}
}

func tell(ctx context.Context, fn func(context.Context, Event), e Event) {
	defer spare(ctx)
	fn(ctx, e)
}

// spare is deferred where somebody else's function is called in the middle of our
// work, which its panic must not end: database/sql would keep a transaction locked.
// The log has the stack.
func spare(ctx context.Context) {
	if p := recover(); p != nil {
		slog.ErrorContext(ctx, "sqldb: a function that observes the database panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
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
