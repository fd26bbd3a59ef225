// Package connection wraps the connections of both drivers with what the drivers lack: a
// deadline for each statement, an end as soon as the context ends, prepared statements that
// are kept, transactions that detect a rollback by the database, and a report of each
// statement.
package connection

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/postgres"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// Conn is a connection of either driver with what both lack: a deadline for
// every statement, an end as soon as the context ends, prepared statements
// kept from one use to the next, and a report of each statement. database/sql
// uses a connection from one goroutine at a time.
type Conn struct {
	inner      driver.Conn
	shared     *Shared
	cache      *statements
	socket     syscall.RawConn // nil if the connection has none
	run        string          // of a connection to a replica: the run of the server that it leads to
	handle     uintptr         // SQLite's handle of the connection, see sqliteHandle
	waits      bool            // statements wait for SQLite's file while another process has it locked
	inTx       bool
	onlyReads  bool           // the transaction was begun as read only
	fell       bool           // a statement of the transaction failed
	rolledBack bool           // SQLite rolled the transaction back by itself
	lost       error          // why no further statement of the transaction may run; nil if one may
	open       bool           // rows of an earlier statement are still being read
	room       []driver.Value // memory that collect uses again; it holds no values
}

var errOpenRows = errors.New("sqldb: a statement was started while the rows of an earlier one of the same transaction are still open; read them to the end or close them first")

func newConn(s *Shared, inner driver.Conn) *Conn {
	return &Conn{inner: inner, shared: s, cache: newStatements(s.options.Statements), socket: socketOf(inner)}
}

// guard gives a statement its deadline. When the context ends, guard closes a connection to
// PostgreSQL, because the driver would go on waiting, and interrupts a statement of SQLite.
// The returned function must be called when the statement has ended.
func (c *Conn) guard(ctx context.Context) (context.Context, func()) {
	if c.shared.options.Kind == dialect.SQLite {
		return c.guardSQLite(ctx)
	}
	ctx, cancel := c.shared.Deadline(ctx)
	if c.shared.acquires { // its own driver ends the statement
		return ctx, cancel
	}
	c.shared.server.Begin()
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = c.inner.Close()
		close(closed)
	})
	return ctx, func() {
		c.shared.server.End()
		// A close that has begun must end before the connection is used again.
		if !stop() {
			<-closed
		}
		cancel()
	}
}

// settle returns the error of the context if the end of the context caused err, and else
// err. It closes a connection to PostgreSQL that is unusable after err, which the driver does
// for some statements only, or whose server no longer accepts writes.
func (c *Conn) settle(ctx context.Context, err error) error {
	if c.shared.options.Kind == dialect.SQLite {
		return endOfSQLite(ctx, err)
	}
	if err == nil || errors.Is(err, sqltext.ErrUnrendered) || !fault.EndsConnection(err) && !c.demoted(err) {
		return err
	}
	c.abandon()
	if fault.IsOver(ctx) && fault.State(err) == "" {
		return fault.EndOf(ctx)
	}
	return err
}

// demoted reports whether an error means that the server no longer accepts writes, so that
// a new connection may lead to the primary. A write in a transaction that was begun as read
// only, or on a DB that is read only, has the same error; for these demoted returns false.
func (c *Conn) demoted(err error) bool {
	return !c.shared.options.ReadOnly && !c.onlyReads && fault.State(err) == fault.StateReadOnly
}

// A runner calls do with the statement to run. It may call do a second time.
type runner func(ctx context.Context, do func(context.Context, runnable) error) error

// ExecContext implements [driver.ExecerContext].
func (c *Conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.exec(ctx, query, args, c.runner(query, args))
}

// QueryContext implements [driver.QueryerContext].
func (c *Conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return c.query(ctx, query, args, c.runner(query, args))
}

func (c *Conn) exec(ctx context.Context, query string, args []driver.NamedValue, run runner) (res driver.Result, err error) {
	err = c.bounded(ctx, query, args, run, func(ctx context.Context, s runnable) (err error) {
		res, err = s.ExecContext(ctx, args)
		return err
	})
	return res, err
}

// bounded runs a statement that has ended when do returns. It calls guard, settle and
// report for the statement.
func (c *Conn) bounded(ctx context.Context, query string, args []driver.NamedValue, run runner, do func(context.Context, runnable) error) error {
	if err := c.usable(); err != nil {
		return err
	}
	guarded, stop := c.guard(ctx)
	defer stop()
	start := time.Now()
	err := ofDelete(query, c.settle(guarded, c.retried(guarded, func(ctx context.Context) error { return run(ctx, do) })))
	c.fails(err)
	c.shared.report(ctx, query, args, start, err, false)
	return err
}

func (c *Conn) query(ctx context.Context, query string, args []driver.NamedValue, run runner) (driver.Rows, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	guarded, stop := c.guard(ctx)
	turn, _ := ctx.Value(turnKey{}).(*fair.Turn)
	r := &rows{conn: c, ctx: guarded, stop: stop, turn: turn}
	start := time.Now()
	err := c.retried(guarded, func(ctx context.Context) error {
		return run(ctx, func(ctx context.Context, s runnable) error { return r.start(ctx, s, args) })
	})
	err = ofDelete(query, c.settle(guarded, err))
	c.fails(err)
	c.shared.report(ctx, query, args, start, err, false)
	if err != nil {
		stop()
		return nil, err
	}
	c.open = true
	return r, nil
}

// ofDelete marks the error of a foreign key as that of a DELETE. See [fault.DeleteError].
func ofDelete(query string, err error) error {
	if err == nil || sqltext.Operation(query) != "delete" {
		return err
	}
	return fault.OfDelete(err)
}

// usable returns why a statement cannot start now, nil if it can.
func (c *Conn) usable() error {
	if c.open {
		return errOpenRows
	}
	return c.lost
}

// fails records that a statement of a transaction failed. On SQLite no further statement
// of the transaction may run if the end of a context caused the error, or if SQLite rolled
// the transaction back: the next statement could be committed by itself.
func (c *Conn) fails(err error) {
	if err == nil || errors.Is(err, io.EOF) {
		return
	}
	c.fell = true
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if c.shared.options.Kind == dialect.SQLite && c.inTx && c.lost == nil && (c.rolledBack || ended) {
		c.lost = fmt.Errorf("sqldb: an earlier statement of the transaction was ended or rolled it back; no further statement runs and nothing is committed: %w", err)
	}
}

// runner returns a runner for a statement as text, or as a prepared statement of the cache.
// If the prepared statement is stale, each connection prepares its statements again. Outside
// a transaction the statement then runs again: the server rejected it before it did anything.
func (c *Conn) runner(query string, args []driver.NamedValue) runner {
	return func(ctx context.Context, do func(context.Context, runnable) error) error {
		if !c.prepares(ctx, args) {
			return c.asText(ctx, query, do)
		}
		err := c.asPrepared(ctx, query, do)
		if fault.IsStale(err) && !c.inTx {
			err = c.asPrepared(ctx, query, do)
		}
		return pooled(err)
	}
}

func (c *Conn) asText(ctx context.Context, query string, do func(context.Context, runnable) error) error {
	if err := sqltext.CheckRendered(query); err != nil {
		return err
	}
	if c.shared.options.SetsLocally && !c.inTx {
		return do(ctx, localText{text{c.inner, query}, c})
	}
	return do(ctx, text{c.inner, query})
}

func (c *Conn) asPrepared(ctx context.Context, query string, do func(context.Context, runnable) error) error {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return err
	}
	err = do(ctx, s)
	if fault.IsStale(err) {
		c.shared.generation.Add(1)
	}
	return err
}

func (c *Conn) prepares(ctx context.Context, args []driver.NamedValue) bool {
	if c.shared.options.NoPrepare && c.shared.options.Kind == dialect.PostgreSQL {
		return false
	}
	return len(args) > 0 || ctx.Value(preparedKey{}) != nil
}

// prepared returns the prepared statement of a text, from the cache or newly prepared.
func (c *Conn) prepared(ctx context.Context, query string) (runnable, error) {
	if err := c.cache.renew(c.shared.generation.Load()); err != nil {
		return nil, err
	}
	if s, ok := c.cache.get(query); ok {
		return s, nil
	}
	if err := sqltext.CheckRendered(query); err != nil {
		return nil, err
	}
	s, err := c.inner.(driver.ConnPrepareContext).PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.(runnable), c.cache.add(query, s)
}

// ErrPooled is in the chain of the error of a prepared statement that the server does not
// have, or whose name another one has: a pooler before PostgreSQL gives a connection to each
// transaction. To prevent it, set Options.NoPrepare of package sqldb.
var ErrPooled = errors.New("sqldb: a prepared statement is not where it was made, because a pooler gives a connection to each " +
	"transaction; set the variable ..._PREPARE=off, or in Go the option NoPrepare")

// pooled adds ErrPooled to the error of PostgreSQL that a prepared statement is missing
// (26000), or that another one already has its name (42P05).
func pooled(err error) error {
	switch fault.State(err) {
	case "26000", "42P05":
		return fmt.Errorf("%w (%w)", ErrPooled, err)
	}
	return err
}

// Ping implements [driver.Pinger].
func (c *Conn) Ping(ctx context.Context) error {
	guarded, stop := c.guard(ctx)
	defer stop()
	return c.settle(guarded, c.inner.(driver.Pinger).Ping(guarded))
}

// ResetSession implements [driver.SessionResetter]. database/sql calls it before it uses a
// connection again. If the other end has closed the connection, it returns driver.ErrBadConn.
func (c *Conn) ResetSession(ctx context.Context) error {
	c.open, c.inTx, c.rolledBack, c.lost = false, false, false, nil
	if alive(c.socket) {
		return c.inner.(driver.SessionResetter).ResetSession(ctx)
	}
	c.abandon()
	return driver.ErrBadConn
}

// IsValid implements [driver.Validator].
func (c *Conn) IsValid() bool { return c.inner.(driver.Validator).IsValid() }

// Close implements [driver.Conn].
func (c *Conn) Close() error {
	c.shared.server.Release(c.inner)
	if c.shared.options.Kind == dialect.SQLite {
		_ = c.cache.clear() // SQLite keeps a connection open while it has statements
		c.watchRollbacks(false)
	}
	return c.inner.Close()
}

// Read runs a statement and reads all its rows. If a connection to a replica does not lead to
// the latest run of the server, Read sends nothing: it closes the connection and returns
// driver.ErrBadConn.
func (c *Conn) Read(ctx context.Context, query string, args []driver.NamedValue) (r *Result, err error) {
	if runs := c.shared.options.Runs; runs != nil && !runs.IsLatest(c.run) {
		c.abandon()
		return nil, driver.ErrBadConn
	}
	err = c.bounded(ctx, query, args, c.runner(query, args), func(ctx context.Context, s runnable) (err error) {
		r, err = c.collect(ctx, s, args)
		return err
	})
	return r, err
}

// Break closes the connection of the driver, so that the pool makes another one.
func (c *Conn) Break() { c.abandon() }

// LocalPort returns the local port of a connection to PostgreSQL, 0 for a Unix socket and on
// SQLite.
func (c *Conn) LocalPort() int64 { return postgres.LocalPort(c.inner) }

// ProcessID returns the number of the process of PostgreSQL, or that which a pooler gave, 0 on
// SQLite.
func (c *Conn) ProcessID() int64 { return postgres.ProcessID(c.inner) }

var (
	_ driver.ExecerContext      = (*Conn)(nil)
	_ driver.QueryerContext     = (*Conn)(nil)
	_ driver.ConnPrepareContext = (*Conn)(nil)
	_ driver.ConnBeginTx        = (*Conn)(nil)
	_ driver.Pinger             = (*Conn)(nil)
	_ driver.SessionResetter    = (*Conn)(nil)
	_ driver.Validator          = (*Conn)(nil)
)
