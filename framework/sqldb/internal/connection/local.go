package connection

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// beginLocal begins a transaction and makes the settings of the session in it, for the
// transaction alone.
func (c *Conn) beginLocal(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	opts.ReadOnly = opts.ReadOnly || c.shared.options.ReadOnly
	tx, err := c.inner.(driver.ConnBeginTx).BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	if err := c.shared.server.SetLocally(ctx, c.inner.(driver.ExecerContext)); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}

// localText is a statement outside a transaction, which gets one of its own.
type localText struct {
	text
	conn *Conn
}

func (t localText) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	tx, err := t.conn.beginLocal(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	result, err := t.text.ExecContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return result, tx.Commit()
}

func (t localText) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	tx, err := t.conn.beginLocal(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	rows, err := t.text.QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return &localRows{Rows: rows, tx: tx}, nil
}

// localRows end the transaction of their statement after the last row, because database/sql
// then ignores the error of Close. If they are closed earlier, they end it then.
type localRows struct {
	driver.Rows
	tx driver.Tx // nil when it has ended
}

func (r *localRows) Next(row []driver.Value) error {
	err := r.Rows.Next(row)
	if errors.Is(err, io.EOF) {
		if failed := r.end(driver.Tx.Commit); failed != nil {
			return failed
		}
	}
	return err
}

func (r *localRows) Close() error {
	if err := r.Rows.Close(); err != nil {
		return errors.Join(err, r.end(driver.Tx.Rollback))
	}
	return r.end(driver.Tx.Commit)
}

func (r *localRows) end(how func(driver.Tx) error) error {
	tx := r.tx
	if r.tx = nil; tx == nil {
		return nil
	}
	return how(tx)
}
