package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
)

// onlyReads reports whether PostgreSQL is to refuse what writes, see
// [Options.ReadOnly]. Nothing is set for the session, where a pooler would hand it to
// the next client: each transaction, and each statement outside of one, is told.
func (c *core) onlyReads() bool { return c.kind == PostgreSQL && c.options.ReadOnly }

// beginReadOnly begins a transaction that cannot write.
func (c *conn) beginReadOnly(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	opts.ReadOnly = true
	tx, err := c.inner.(driver.ConnBeginTx).BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	if err := set(ctx, c.inner.(driver.ExecerContext), c.core.settings, true); err != nil {
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

// errReadOnly is of a PostgreSQL server that takes no writes.
var errReadOnly = errors.New("sqldb: the database takes no writes: the server is a standby, or was demoted, or default_transaction_read_only is on")

// stateReadOnly is PostgreSQL's code of a write that it refuses for that.
const stateReadOnly = "25006"

// IsReadOnly reports whether an error says that PostgreSQL takes no writes now: the
// server is a standby, as a primary is that was demoted, or default_transaction_read_only
// is on. It is a fault that is [Unavailable], and the connection is closed, because
// another one may lead to the primary.
func IsReadOnly(err error) bool {
	return errors.Is(err, errReadOnly) || sqlState(err) == stateReadOnly
}

// whatServerIs is asked of a server. No function of recovery is called, because
// compatible databases may lack it.
const whatServerIs = `SELECT coalesce(current_setting('in_hot_standby', true), 'off') = 'on', current_setting('default_transaction_read_only') = 'on'`

// Writable is nil if the database answers and takes writes. An error for which
// [IsReadOnly] is true says that PostgreSQL answers and takes none; the next call makes
// a new connection. A SQLite file is not asked for more than an answer.
func (db *DB) Writable(ctx context.Context) error {
	if db.Kind() != PostgreSQL {
		return db.PingContext(ctx)
	}
	return db.onConn(ctx, false, func(c *conn) error {
		found, err := c.read(ctx, whatServerIs, nil)
		if err != nil {
			return err
		}
		var standby, readOnly bool
		if err := found.Scan(0, &standby, &readOnly); err != nil || !standby && !readOnly {
			return err
		}
		_ = c.inner.Close()
		return errReadOnly
	})
}
