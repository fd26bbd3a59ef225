package connection

import (
	"context"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"reflect"
	"time"

	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
)

// interruptAgain is the pause between two interrupts of one statement. SQLite
// forgets an interrupt that comes before the statement's first step.
const interruptAgain = 10 * time.Millisecond

// sqliteHandle returns the sqlite3* of a connection of the driver, or 0 if the driver
// does not store it in the field where this version expects it. The driver itself
// interrupts a statement only until its first row; with the handle a statement is
// interrupted at any time.
func sqliteHandle(inner driver.Conn) uintptr {
	v := reflect.Indirect(reflect.ValueOf(inner))
	if v.Kind() != reflect.Struct {
		return 0
	}
	field := v.FieldByName("db")
	if field.Kind() != reflect.Uintptr {
		return 0
	}
	return uintptr(field.Uint())
}

// guardSQLite is guard for SQLite: the statement is interrupted when its context
// ends, or after StatementTimeout.
func (c *Conn) guardSQLite(ctx context.Context) (context.Context, func()) {
	ctx, cancel := c.shared.limited(ctx)
	return ctx, c.interruptAt(ctx, cancel)
}

// guardBegin is guard for BEGIN. On SQLite, BEGIN may wait for another process's transaction
// until the deadline of the context, or for StatementTimeout if the context has none.
func (c *Conn) guardBegin(ctx context.Context) (context.Context, func()) {
	if c.shared.acquires { // a driver such as lib/pq ends the transaction when the context of its BEGIN ends
		return ctx, func() {}
	}
	if c.shared.options.Kind == dialect.SQLite {
		ctx, cancel := c.shared.Deadline(ctx)
		return ctx, cancel
	}
	return c.guard(ctx)
}

// interruptAt interrupts SQLite when the context ends. The returned function ends the
// interrupts and waits until none is under way, because a late one would interrupt
// the connection's next statement.
func (c *Conn) interruptAt(ctx context.Context, cancel context.CancelFunc) func() {
	if c.handle == 0 {
		return cancel // the driver interrupts what it can
	}
	over, ended := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		c.interrupt(over)
	})
	return func() {
		close(over)
		if !stop() {
			<-ended
		}
		cancel()
	}
}

// interrupt interrupts the connection's statement until over is closed.
func (c *Conn) interrupt(over <-chan struct{}) {
	tls := libc.NewTLS()
	defer tls.Close()
	tick := time.NewTicker(interruptAgain)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		default:
			sqlite3.Xsqlite3_interrupt(tls, c.handle)
		}
		select {
		case <-over:
			return
		case <-tick.C:
		}
	}
}

// driverContext is the context for a call of the driver. The driver of SQLite starts
// a goroutine for each statement whose context may end, which guard makes needless.
func (c *Conn) driverContext(ctx context.Context) context.Context {
	if c.handle == 0 {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// retried runs a statement. On SQLite, outside a transaction, it runs the statement
// again while another process has the file locked, until the context ends: SQLite
// reports a busy file before the statement has changed anything. It does not run a statement
// again on a connection of [Exclusive].
func (c *Conn) retried(ctx context.Context, run func(context.Context) error) error {
	if c.shared.options.Kind == dialect.PostgreSQL {
		return run(ctx)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := run(c.driverContext(ctx))
		if c.inTx || !c.waits || !isBusy(err) {
			return err
		}
		timer := time.NewTimer(rand.N(busyPause))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return &lockedFileError{fault.EndOf(ctx)}
		}
	}
}

// A lockedFileError is the end of a wait for another process's lock.
type lockedFileError struct{ end error }

func (e *lockedFileError) Error() string {
	return "sqldb: waiting for another process that writes the SQLite file: " + e.end.Error()
}

func (e *lockedFileError) Unwrap() error { return e.end }

// isBusy reports whether another process holds the lock. It returns false for a snapshot that
// is too old: it has the same primary code, but waiting does not renew it.
func isBusy(err error) bool {
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && lite.Code()&0xff == sqlite3.SQLITE_BUSY && lite.Code() != sqlite3.SQLITE_BUSY_SNAPSHOT
}

// endOfSQLite names the context's end as the cause of an interrupted statement.
func endOfSQLite(ctx context.Context, err error) error {
	if fault.SQLiteCode(err) == sqlite3.SQLITE_INTERRUPT && fault.IsOver(ctx) {
		return fault.EndOf(ctx)
	}
	return err
}

// watchRollbacks has SQLite report a transaction that it rolls back.
func (c *Conn) watchRollbacks(on bool) {
	hooks, ok := c.inner.(sqlite.HookRegisterer)
	switch {
	case !ok:
	case on:
		hooks.RegisterRollbackHook(func() { c.rolledBack = true })
	default:
		hooks.RegisterRollbackHook(nil)
	}
}
