package connection

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"trestle.example/framework/sqldb/internal/dialect"
)

// Begin implements [driver.Conn].
func (c *Conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

// BeginTx implements [driver.ConnBeginTx].
func (c *Conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	guarded, stop := c.guardBegin(ctx)
	defer stop()
	start := time.Now()
	var inner driver.Tx
	err := c.settle(guarded, c.retried(guarded, func(ctx context.Context) (err error) {
		if c.shared.options.SetsLocally {
			inner, err = c.beginLocal(ctx, opts)
			return err
		}
		inner, err = c.inner.(driver.ConnBeginTx).BeginTx(ctx, opts)
		return err
	}))
	c.shared.report(ctx, "BEGIN", nil, start, err, true)
	if err != nil {
		return nil, err
	}
	c.inTx, c.onlyReads, c.fell, c.rolledBack, c.lost = true, opts.ReadOnly, false, false, nil
	return &driverTx{inner: inner, conn: c, ctx: context.WithoutCancel(ctx)}, nil
}

// driverTx reports the COMMIT or ROLLBACK of a transaction. On PostgreSQL it also limits how
// long that takes.
type driverTx struct {
	inner driver.Tx
	conn  *Conn
	ctx   context.Context
}

func (t *driverTx) Commit() error {
	if err := t.aborted(); err != nil {
		_ = t.Rollback()
		return err
	}
	return t.end("COMMIT", t.inner.Commit)
}

// aborted returns an error if COMMIT would not commit. After a statement has failed,
// PostgreSQL answers COMMIT with a rollback, and the driver returns no error for that. On
// SQLite aborted returns the error after which no statement of the transaction may run.
func (t *driverTx) aborted() error {
	if t.conn.shared.options.Kind == dialect.SQLite {
		return t.conn.lost
	}
	if !t.conn.fell {
		return nil
	}
	guarded, stop := t.conn.guard(t.ctx)
	defer stop()
	_, err := t.conn.inner.(driver.ExecerContext).ExecContext(guarded, "SELECT 1", nil)
	if err = t.conn.settle(guarded, err); err != nil {
		return fmt.Errorf("sqldb: a statement of the transaction failed and its error was passed over; nothing was committed: %w", err)
	}
	return nil
}

func (t *driverTx) Rollback() error {
	if t.conn.rolledBack { // SQLite has already rolled the transaction back
		t.conn.inTx, t.conn.onlyReads = false, false
		return nil
	}
	return t.end("ROLLBACK", t.inner.Rollback)
}

// end ends the transaction and reports it. On SQLite it has no time limit and cannot be
// interrupted.
func (t *driverTx) end(name string, fn func() error) error {
	guarded, stop := t.ctx, func() {}
	if t.conn.shared.options.Kind == dialect.PostgreSQL {
		guarded, stop = t.conn.guard(t.ctx)
	}
	defer stop()
	start := time.Now()
	err := t.conn.settle(guarded, fn())
	t.conn.inTx, t.conn.onlyReads = false, false
	t.conn.shared.report(t.ctx, name, nil, start, err, true)
	return err
}
