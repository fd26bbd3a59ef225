package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
)

// onlyReads reports whether PostgreSQL is to refuse what writes, see
// [Options.ReadOnly]. Nothing is set for the session, where a pooler would hand it to
// the next client: each transaction, and each statement outside of one, is told.
func (c *core) onlyReads() bool { return c.kind == PostgreSQL && c.options.ReadOnly }

// readOnlyLimits is what a read-only transaction sets for itself.
func (c *core) readOnlyLimits() string {
	return fmt.Sprintf("SET LOCAL TIME ZONE 'UTC'; SET LOCAL statement_timeout TO %d; SET LOCAL lock_timeout TO %d",
		milliseconds(c.options.StatementTimeout), milliseconds(c.options.LockTimeout))
}

// beginReadOnly begins a transaction that cannot write.
func (c *conn) beginReadOnly(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	opts.ReadOnly = true
	tx, err := c.inner.(driver.ConnBeginTx).BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	if _, err := c.inner.(driver.ExecerContext).ExecContext(ctx, c.core.readOnlyLimits(), nil); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}

// readOnlyText is a statement outside a transaction, in one of its own that cannot
// write and is rolled back.
type readOnlyText struct {
	text
	conn *conn
}

func (t readOnlyText) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	tx, err := t.conn.beginReadOnly(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	result, err := t.text.ExecContext(ctx, args)
	return result, errors.Join(err, tx.Rollback())
}

func (t readOnlyText) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	tx, err := t.conn.beginReadOnly(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	rows, err := t.text.QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return &readOnlyRows{Rows: rows, tx: tx}, nil
}

// readOnlyRows end the transaction of their statement.
type readOnlyRows struct {
	driver.Rows
	tx driver.Tx
}

func (r *readOnlyRows) Close() error { return errors.Join(r.Rows.Close(), r.tx.Rollback()) }
