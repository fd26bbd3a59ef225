package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/uptrace/bun/schema"
)

// A Result is the rows of a statement, read to their end. It may be another
// request's too, so nobody changes it: it is safe for concurrent use.
type Result struct {
	columns int
	values  []driver.Value // row after row
}

// Len is the number of rows.
func (r *Result) Len() int {
	if r.columns == 0 {
		return 0
	}
	return len(r.values) / r.columns
}

// Row is one row, counted from 0, as the driver gave its values: int64,
// float64, bool, []byte, string, time.Time or nil.
func (r *Result) Row(i int) []driver.Value {
	return r.values[i*r.columns : (i+1)*r.columns : (i+1)*r.columns]
}

// Scan hands the values of a row to its destinations in turn: pointers to text,
// numbers, bool, time.Time or []byte, which a NULL is an error for, or any
// [sql.Scanner].
func (r *Result) Scan(i int, dest ...any) error {
	if len(dest) != r.columns {
		return fmt.Errorf("sqldb: a row has %d columns and is scanned into %d places", r.columns, len(dest))
	}
	row := r.Row(i)
	for at, d := range dest {
		if err := scanTo(d, row[at]); err != nil {
			return fmt.Errorf("sqldb: scanning column %d of a row: %w", at+1, err)
		}
	}
	return nil
}

func scanTo(dest any, v driver.Value) error {
	switch dest := dest.(type) {
	case sql.Scanner:
		return dest.Scan(v)
	case *string:
		return scanValue(dest, v)
	case *int64:
		return scanValue(dest, v)
	case *int:
		return scanValue(dest, v)
	case *float64:
		return scanValue(dest, v)
	case *bool:
		return scanValue(dest, v)
	case *time.Time:
		return scanValue(dest, v)
	case *[]byte:
		return scanValue(dest, v)
	}
	return fmt.Errorf("a %T is no place for a column", dest)
}

func scanValue[T any](dest *T, v driver.Value) error {
	var n sql.Null[T]
	if err := n.Scan(v); err != nil {
		return err
	}
	if !n.Valid {
		return fmt.Errorf("a %T cannot hold NULL", dest)
	}
	*dest = n.V
	return nil
}

// Read runs a statement and reads all its rows, so that it holds no connection
// when it returns. In all else it is [Session.Query], and faster.
//
// Outside a transaction, reads with the same text and the same values that wait
// at the same time share one execution. It begins after the last of them
// came, so that each sees what it would have seen by itself: all that was
// committed before it asked. A statement that writes or locks, or that calls a
// function whose answer may differ from one call to the next, is never shared.
func (s *Session) Read(ctx context.Context, q schema.QueryAppender) (*Result, error) {
	if s.replica != nil {
		return s.replica.read(ctx, q)
	}
	if s.tx == nil {
		return send(ctx, s, q, func(ctx context.Context, text string, args ...any) (*Result, error) {
			return s.db.shared(ctx, text, args)
		})
	}
	return send(ctx, s, q, func(ctx context.Context, text string, args ...any) (*Result, error) {
		rows, err := s.tx.Tx.QueryContext(ctx, text, args...)
		if err != nil {
			return nil, err
		}
		return drain(rows)
	})
}

// drain reads rows to their end and closes them.
func drain(rows *sql.Rows) (*Result, error) {
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	r := &Result{columns: len(names)}
	row, dest := make([]any, len(names)), make([]any, len(names))
	for i := range row {
		dest[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		for _, v := range row {
			r.values = append(r.values, v)
		}
	}
	return r, rows.Err()
}

// shared runs a statement, or waits for one that others wait for too: those
// with the same text and values.
func (db *DB) shared(ctx context.Context, text string, args []any) (*Result, error) {
	run := func(ctx context.Context, _ []string) (*Result, error) {
		return db.read(ctx, text, numbered(args))
	}
	if !db.sharable.of(text, sharable) {
		return run(ctx, nil)
	}
	return db.sharedAs(ctx, shareKeyOf(text, args), run)
}

// sharedAs runs a read, which reads with an equal key that wait at the same time share.
func (db *DB) sharedAs(ctx context.Context, key shareKey, run sharedRun[*Result]) (*Result, error) {
	if sharing == "off" {
		return run(ctx, nil)
	}
	return db.reads.do(ctx, key, "", run)
}

// numbered are values as a driver takes them.
func numbered(args []any) []driver.NamedValue {
	all := make([]driver.NamedValue, len(args))
	for i, v := range args {
		all[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return all
}

// badConnections is how often a statement meets a connection that broke while
// it lay idle before the error is its own, as database/sql has it.
const badConnections = 3

// read runs a statement on a connection of the pool. It goes round sql.Rows,
// which start a goroutine for each query.
func (db *DB) read(ctx context.Context, text string, args []driver.NamedValue) (r *Result, err error) {
	err = db.onConn(ctx, isWrite(text), func(c *conn) (err error) {
		r, err = c.read(ctx, text, args)
		return err
	})
	return r, err
}

// onConn waits for a connection of the pool and runs fn with it, and again with
// another where the first broke before anything was sent.
func (db *DB) onConn(ctx context.Context, writes bool, fn func(*conn) error) error {
	turn, err := db.acquire(ctx, writes)
	if err != nil {
		return err
	}
	defer turn.End()
	return onConns(func() (*sql.Conn, error) {
		c, err := db.conn(ctx)
		return c.Conn, err
	}, fn)
}

func onConns(take func() (*sql.Conn, error), fn func(*conn) error) error {
	for attempt := 1; ; attempt++ {
		err := onConnOnce(take, fn)
		if attempt == badConnections || !errors.Is(err, driver.ErrBadConn) {
			return err
		}
	}
}

func onConnOnce(take func() (*sql.Conn, error), fn func(*conn) error) error {
	c, err := take()
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	return c.Raw(func(inner any) error {
		return fn(inner.(*conn)) //nolint:forcetypeassert // every connection of the pool is one
	})
}

func (c *conn) read(ctx context.Context, query string, args []driver.NamedValue) (r *Result, err error) {
	if standby := c.core.standby; standby != nil && !standby.leads(c) {
		_ = c.inner.Close()
		return nil, driver.ErrBadConn // it is of a server that was, or of another
	}
	err = c.bounded(ctx, query, args, c.runner(query, args), func(ctx context.Context, s statement) (err error) {
		r, err = c.collect(ctx, s, args)
		return err
	})
	return r, err
}

// roomMost is how many values a connection may keep room for.
const roomMost = 4096

// collect runs a statement and reads its rows to their end, into the room that the
// connection keeps for that: how many there are is known at their end.
func (c *conn) collect(ctx context.Context, s statement, args []driver.NamedValue) (*Result, error) {
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	n, all := len(rows.Columns()), c.room[:0]
	for err == nil {
		all = slices.Grow(all, n)[:len(all)+n]
		err = rows.Next(all[len(all)-n:])
	}
	values := all[:len(all)-n]
	if c.room = nil; cap(all) <= roomMost {
		values = slices.Clone(values)
		clear(all)
		c.room = all
	}
	if !errors.Is(err, io.EOF) {
		_ = rows.Close()
		return nil, err
	}
	return &Result{n, values}, rows.Close()
}
