package connection

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// A Result is the rows of a statement, read to their end. Several requests may share it, so it
// is not to be changed. It is safe for concurrent use.
type Result struct {
	columns int
	values  []driver.Value // row after row
}

// NewResult makes a result. columns is the number of columns of a row; values are the values
// of the first row, then those of the second, and so on.
func NewResult(columns int, values []driver.Value) *Result { return &Result{columns, values} }

// Columns returns how many columns a result has.
func Columns(r *Result) int { return r.columns }

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

// Scan copies the values of a row to its destinations, one for each column: pointers to
// string, int, int64, float64, bool, time.Time or []byte, for which a NULL is an error, or any
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

// Drain reads rows to their end and closes them.
func Drain(rows *sql.Rows) (*Result, error) {
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

// roomMost is for how many values at most a connection keeps memory.
const roomMost = 4096

// collect runs a statement and reads its rows to their end. It reads them into memory that
// the connection keeps, because the number of rows is known only at their end, and copies
// them. More than roomMost values are not copied, and their memory is not kept.
func (c *Conn) collect(ctx context.Context, s runnable, args []driver.NamedValue) (*Result, error) {
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
