package framework

import (
	"database/sql"
	"reflect"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A representation turns rows of a model into what a client sees.
type representation interface {
	// Rows runs a narrowed and ordered query on the model and returns []Out,
	// and whether others follow where the window asks.
	Rows(c *Call, q *bun.SelectQuery, w window) (out reflect.Value, more bool, err error)
	// Write runs it for rows that are only sent.
	Write(c *Call, q *bun.SelectQuery, w window) (sentRows, error)
	// ColumnsOf reports the tables and columns that it reads, beside the model's.
	ColumnsOf(use func(*schema.Table, ...*schema.Field))
}

// A window limits a query to some rows; zero is all of them.
type window struct {
	rows, offset int64
	probe        bool // read one row more, to know whether others follow
	cutBefore    bool // the query finds no more, but of what is joined: its keys were found with a limit
}

func (w window) limit(q schema.QueryAppender) schema.QueryAppender {
	if w.rows == 0 {
		return q
	}
	if w.probe {
		w.rows++
	}
	return sqldb.Window(q, w.rows, w.offset)
}

// cut drops the row that was read to know of it, and tells of it.
func (w window) cut(rows reflect.Value) (reflect.Value, bool) {
	if !w.probe || int64(rows.Len()) <= w.rows {
		return rows, false
	}
	return rows.Slice(0, int(w.rows)), true
}

// sentRows are rows as a client sees them, as JSON.
type sentRows struct {
	text []byte // the rows as an array; nothing is read of it where there are none
	rows int
	more bool // whether others follow, where the window asks
}

// list is the rows as an array.
func (w sentRows) list() jsontext.Value {
	if w.rows == 0 {
		return jsontext.Value("[]")
	}
	return w.text
}

// one is the only row; none is not found.
func (w sentRows) one() (jsontext.Value, error) {
	if err := only(w.rows); err != nil {
		return nil, err
	}
	return w.text[1 : len(w.text)-1], nil
}

// only refuses any number of rows but one. There are several where the field of
// a Lookup is not unique: none of them is the one that was meant.
func only(rows int) error {
	switch rows {
	case 0:
		return problem.NotFound()
	case 1:
		return nil
	}
	return naming.Sentence("one row was asked for and several have that key: the field of a Lookup needs a unique index")
}

// number runs a query that answers one number.
func number(c *Call, q schema.QueryAppender) (int64, error) {
	var n sql.Null[int64]
	err := first(c, q, &n)
	return n.V, err
}

// first reads the first column of the first row.
func first(c *Call, q schema.QueryAppender, dest sql.Scanner) error {
	found, err := c.Session().Read(c, q)
	switch {
	case err != nil:
		return err
	case found.Len() == 0:
		return sql.ErrNoRows
	}
	return dest.Scan(found.Row(0)[0])
}

// scanModels runs a query, its values as parameters, into its own model.
func scanModels(c *Call, q *bun.SelectQuery, w window) (found int, err error) {
	rows, err := c.Session().Query(c, w.limit(q))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	found, err = q.GetModel().ScanRows(c, rows)
	if err != nil {
		return 0, err
	}
	return found, rows.Err()
}

// object is the query of the one row that the path names, in scope.
func (r *resource) object(c *Call, req *request) *bun.SelectQuery {
	q := r.rows(c)
	if req.key != nil {
		q = q.Where("?TableAlias.? = ?", bun.Ident(r.key.Name), sqldb.Param(req.key))
	}
	return q
}

// modelOf reads the row that the path names, whole; to change it, locked.
func (r *resource) modelOf(c *Call, req *request) (reflect.Value, error) {
	model := reflect.New(r.model)
	q := r.object(c, req).Model(model.Interface())
	if c.Session().InTx() {
		q = r.api.db.Kind().ForUpdate(q)
	}
	if r.table.HasBeforeScanRowHook() || r.table.HasAfterScanRowHook() {
		found, err := scanModels(c, q, window{})
		if err == nil {
			err = only(found)
		}
		return model, err
	}
	found, err := c.Session().Read(c, q)
	if err == nil {
		err = only(found.Len())
	}
	if err != nil {
		return model, err
	}
	for i, v := range found.Row(0) { // bun selects a model's columns in the order of its fields
		f := r.table.Fields[i]
		if err := f.ScanWithCheck(f.Value(model.Elem()), v); err != nil {
			return model, err
		}
	}
	return model, nil
}

// shownByKey reads one row again, by its primary key and past its scope:
// the caller just wrote it.
func (r *resource) shownByKey(c *Call, shown representation, key any) (any, error) {
	q := c.DB.NewSelect().Model(nilModel(r.model)).Where("?TableAlias.? = ?", bun.Ident(r.pk.Name), sqldb.Param(key))
	row, err := shown.Write(c, q, window{rows: 1})
	if err != nil {
		return nil, err
	}
	return row.one()
}

// A columnCell takes one column of a row.
type columnCell struct {
	column *schema.Field
	value  reflect.Value
}

// Scan implements [sql.Scanner].
func (c *columnCell) Scan(src any) error {
	if err := c.column.ScanWithCheck(c.value, src); err != nil {
		return err
	}
	inUTC(c.value)
	return nil
}

// inUTC makes a scanned time say UTC, whichever zone the driver used.
func inUTC(v reflect.Value) {
	switch t := v.Addr().Interface().(type) {
	case *time.Time:
		*t = t.UTC()
	case **time.Time:
		if *t != nil {
			utc := (*t).UTC()
			*t = &utc
		}
	}
}
