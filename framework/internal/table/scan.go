package table

import (
	"database/sql"
	"reflect"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A Representation turns rows of a model into what a client sees.
type Representation interface {
	// Rows runs a narrowed and ordered query on the model and returns []Out. If the window
	// probes, more reports whether rows follow.
	Rows(c *call.Call, q *bun.SelectQuery, w Window) (out reflect.Value, more bool, err error)
	// Write is like Rows and returns the rows as JSON.
	Write(c *call.Call, q *bun.SelectQuery, w Window) (SentRows, error)
	// ColumnsOf passes columns with their tables to use. For a view, these are the columns that
	// it shows, the keys of its joined rows and the foreign keys of its to-many relations; the
	// base key of a to-many relation only if the view shows it. For a function of Computes,
	// these are all columns of its relations, and no columns of the model.
	ColumnsOf(use func(*schema.Table, ...*schema.Field))
	// Hiding is the mask of Out: Rows and Write hide its members from callers.
	Hiding() *fieldrule.Mask
}

// A Window limits a query to some rows. If Rows is 0, there is no limit, and Offset has no
// effect.
type Window struct {
	Rows, Offset int64
	Probe        bool                 // read one row more, to know whether rows follow
	CutBefore    bool                 // the query has a limit already, in its subquery of keys
	Version      *conditional.Version // to read of the first row; nil for none
}

// Limit limits a query to the rows of the window, and one more if the window probes.
func (w Window) Limit(q schema.QueryAppender) schema.QueryAppender {
	if w.Rows == 0 {
		return q
	}
	if w.Probe {
		w.Rows++
	}
	return sqldb.Window(q, w.Rows, w.Offset)
}

// Cut removes the additional row of a probe, and reports whether there was one.
func (w Window) Cut(rows reflect.Value) (reflect.Value, bool) {
	if !w.Probe || int64(rows.Len()) <= w.Rows {
		return rows, false
	}
	return rows.Slice(0, int(w.Rows)), true
}

// Has reports whether a row of a result, by its index, is in the window: the row by which it probes is not.
func (w Window) Has(row int) bool { return !w.Probe || int64(row) < w.Rows }

// SentRows are rows as a client sees them, as JSON.
type SentRows struct {
	Text []byte // a JSON array; undefined without rows
	Rows int
	More bool // rows follow; only if the window probes
	// Version is that of the first row, if the window has one.
	Version string
}

// List returns the rows as a JSON array.
func (w SentRows) List() jsontext.Value {
	if w.Rows == 0 {
		return jsontext.Value("[]")
	}
	return w.Text
}

// A SentRow is one row as a client sees it, and its version, "" in a viewset without versions.
type SentRow struct {
	Value   any
	Version string
}

// One returns the only row. Without a row, the error is NotFound. Several rows are an error of
// the declaration.
func (w SentRows) One() (SentRow, error) {
	if err := Only(w.Rows); err != nil {
		return SentRow{}, err
	}
	return SentRow{jsontext.Value(w.Text[1 : len(w.Text)-1]), w.Version}, nil
}

// Only returns nil for one row and NotFound for none. Several rows are an error of the
// declaration: the field of a Lookup is not unique.
func Only(rows int) error {
	switch rows {
	case 0:
		return problem.NotFound()
	case 1:
		return nil
	}
	return naming.Sentence("several rows have the key of the path: the field of a Lookup needs a unique index")
}

// Number runs a query whose result is one number. NULL is 0. If the query has no row, the error
// is [sql.ErrNoRows].
func Number(c *call.Call, q schema.QueryAppender) (int64, error) {
	var n sql.Null[int64]
	err := First(c, q, &n)
	return n.V, err
}

// First reads the first column of the first row. If the query has no row, the error is
// [sql.ErrNoRows].
func First(c *call.Call, q schema.QueryAppender, dest sql.Scanner) error {
	found, err := c.Session().Read(c, q)
	switch {
	case err != nil:
		return err
	case found.Len() == 0:
		return sql.ErrNoRows
	}
	return dest.Scan(found.Row(0)[0])
}

// ScanModels runs a query, limited to the window, and scans the rows into the query's model. It
// calls the scan hooks of the model. found is the number of rows, including the row of a probe.
func ScanModels(c *call.Call, q *bun.SelectQuery, w Window) (found int, err error) {
	rows, err := c.Session().Query(c, w.Limit(q))
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

// Object is the query of the row that the path names, narrowed by the scope, and by Writers if
// the request changes it. Without a key, as in a single resource, it is the query of every such
// row.
func (r *Resource) Object(c *call.Call, req *Request) *bun.SelectQuery {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model))
	r.NarrowTo(c, req, q.QueryBuilder())
	return q
}

// NarrowTo narrows a query to the row that the path names, if the caller has it, and may change it
// if the request changes it. In a nested viewset, the row must be below the one that the path names.
func (r *Resource) NarrowTo(c *call.Call, req *Request, q bun.QueryBuilder) {
	if req.ByReaders {
		c = r.Looking(c)
	}
	if req.Key != nil {
		q.Where("?TableAlias.? = ?", bun.Ident(r.Key.Name), sqldb.Param(req.Key))
	}
	if r.Above != nil {
		r.Above.narrow(c, req.Above, req.Changes && r.Above.ByWriters, q)
	}
	r.Scope.narrowRows(c, q)
	if req.Changes {
		r.Writers.narrowRows(c, q)
	}
}

// ModelOf reads the row that the path names, with all its columns. In a transaction on
// PostgreSQL it locks the row. If the row does not exist or is out of scope, the error is
// NotFound. If it has another version than If-Match names, the error is 412. It sets Found of the
// request.
func (r *Resource) ModelOf(c *call.Call, req *Request) (reflect.Value, error) {
	return r.modelIn(c, req, r.Object(c, req))
}

// modelIn is [Resource.ModelOf] for the row of a query.
func (r *Resource) modelIn(c *call.Call, req *Request, q *bun.SelectQuery) (reflect.Value, error) {
	m, version, err := r.readVersion(c, q)
	if req.Found = err == nil; req.Found {
		r.noteParent(c, m.Elem())
		err = req.Match.Check(version)
	}
	return m, err
}

// read reads one row into a new model. In a transaction on PostgreSQL it locks the row. Without
// a row, the error is NotFound; several rows are an error too. It sets the URLs of files.
func (r *Resource) read(c *call.Call, q *bun.SelectQuery) (reflect.Value, error) {
	m, _, err := r.readVersion(c, q)
	return m, err
}

// Present reads a row by its primary key, without the scope, and locks it in a transaction. A row that does not exist or is
// deleted softly is the error NotFound. The result is a pointer to the model.
func (r *Resource) Present(c *call.Call, m reflect.Value) (reflect.Value, error) {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model))
	r.narrowToKey(q.QueryBuilder(), m)
	return r.read(c, q)
}

// readVersion is read that also returns the version of the row, "" in a viewset without versions.
func (r *Resource) readVersion(c *call.Call, q *bun.SelectQuery) (m reflect.Value, version string, err error) {
	model := bunmodel.New(r.Table)
	q = q.Model(model.Interface())
	if c.Session().InTx() {
		q = r.API.DB.Kind().ForUpdate(q)
	}
	if r.Table.HasBeforeScanRowHook() || r.Table.HasAfterScanRowHook() {
		found, err := ScanModels(c, q, Window{})
		if err == nil {
			err = Only(found)
		}
		if err == nil {
			r.Link(model.Elem())
			version, _ = r.Version.OfModel(model.Elem())
		}
		return model, version, err
	}
	found, err := c.Session().Read(c, q)
	if err == nil {
		err = Only(found.Len())
	}
	if err != nil {
		return model, "", err
	}
	for i, v := range found.Row(0) { // bun selects a model's columns in the order of its fields
		f := r.Table.Fields[i]
		if err := f.ScanWithCheck(f.Value(model.Elem()), v); err != nil {
			return model, "", err
		}
	}
	r.Link(model.Elem())
	return model, r.Version.OfRow(r.Table.Fields, found.Row(0)), nil
}

// ShownByKey reads a row by its primary key and returns its JSON and its version. It does not apply the scope:
// the request has read or written this row before. Without the row, the error is NotFound.
func (r *Resource) ShownByKey(c *call.Call, shown Representation, key any) (SentRow, error) {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), sqldb.Param(key))
	row, err := shown.Write(c, q, Window{Rows: 1, Version: r.Version})
	if err != nil {
		return SentRow{}, err
	}
	return row.One()
}

// A ColumnCell scans one column of a row into a field.
type ColumnCell struct {
	Column *schema.Field
	Value  reflect.Value
}

// Scan implements [sql.Scanner]. It converts a time to UTC.
func (c *ColumnCell) Scan(src any) error {
	if err := c.Column.ScanWithCheck(c.Value, src); err != nil {
		return err
	}
	InUTC(c.Value)
	return nil
}

// InUTC sets the zone of a scanned time to UTC. It does not change values of other types.
func InUTC(v reflect.Value) {
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

// HasLimit reports whether a query has a limit or an offset, and removes both from it. bun shows
// them only in the SQL.
func HasLimit(db *sqldb.DB, q *bun.SelectQuery) (bool, error) {
	gen := db.QueryGen()
	with, err := q.AppendQuery(gen, nil)
	if err != nil {
		return false, err
	}
	without, err := q.Limit(0).Offset(0).AppendQuery(gen, nil)
	return string(with) != string(without), err
}
