package connection

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"slices"

	"trestle.example/framework/internal/fair"
)

// rows are the answer to a query. The first row is read at once, so that on both
// databases the query returns the error of a statement, and not the first call of Next. The
// deadline of the statement also holds for reading the rows.
type rows struct {
	inner   driver.Rows
	conn    *Conn
	ctx     context.Context
	stop    func()
	turn    *fair.Turn // of the query, nil if it has none of its own
	columns []string
	first   []driver.Value
	ahead   bool  // first was read, and Next has not returned it yet
	err     error // of reading first; io.EOF if there is no row
}

func (r *rows) start(ctx context.Context, s runnable, args []driver.NamedValue) error {
	inner, err := s.QueryContext(ctx, args)
	if err != nil {
		return err
	}
	// The driver reuses its slice of names for the next query.
	r.inner, r.columns = inner, slices.Clone(inner.Columns())
	r.first, r.ahead = make([]driver.Value, len(r.columns)), true
	r.err = inner.Next(r.first)
	if r.err == nil || errors.Is(r.err, io.EOF) {
		return nil
	}
	_ = inner.Close()
	return r.err
}

func (r *rows) Columns() []string { return r.columns }

func (r *rows) Next(dest []driver.Value) error {
	if r.ahead {
		r.ahead = false
		copy(dest, r.first)
		return r.err
	}
	if r.err != nil {
		return r.err
	}
	if r.err = r.ctx.Err(); r.err != nil {
		r.conn.fails(r.err)
		return r.err
	}
	r.err = r.inner.Next(dest)
	if !errors.Is(r.err, io.EOF) {
		r.err = r.conn.settle(r.ctx, r.err)
		r.conn.fails(r.err)
	}
	return r.err
}

func (r *rows) Close() error {
	err := r.conn.settle(r.ctx, r.inner.Close())
	r.conn.fails(err)
	r.stop()
	r.conn.open = false
	r.turn.End()
	return err
}

func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	if t, ok := r.inner.(driver.RowsColumnTypeScanType); ok {
		return t.ColumnTypeScanType(i)
	}
	return reflect.TypeFor[any]()
}

func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	if t, ok := r.inner.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return t.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

var (
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
)
