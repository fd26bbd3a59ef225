package table

import (
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/sqldb"
)

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

// Read reads one row into a new model. In a transaction on PostgreSQL it locks the row. Without
// a row, the error is NotFound; several rows are an error too. It sets the URLs of files.
func (r *Resource) Read(c *call.Call, q *bun.SelectQuery) (reflect.Value, error) {
	m, _, err := r.readVersion(c, q)
	return m, err
}

// Present reads a row by its primary key, without the scope, and locks it in a transaction. A row that does not exist or is
// deleted softly is the error NotFound. The result is a pointer to the model.
func (r *Resource) Present(c *call.Call, m reflect.Value) (reflect.Value, error) {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model))
	r.NarrowToKey(q.QueryBuilder(), m)
	return r.Read(c, q)
}

// readVersion is read that also returns the version of the row, "" in a viewset without versions.
func (r *Resource) readVersion(c *call.Call, q *bun.SelectQuery) (m reflect.Value, version string, err error) {
	model := bunmodel.New(r.Table)
	q = q.Model(model.Interface())
	if c.Session().InTx() {
		q = r.API.DB.Kind().ForUpdate(q)
	}
	if r.Table.HasBeforeScanRowHook() || r.Table.HasAfterScanRowHook() {
		found, err := scan.Models(c, q, scan.Window{})
		if err == nil {
			err = scan.Only(found)
		}
		if err == nil {
			r.Link(model.Elem())
			version, _ = r.Version.OfModel(model.Elem())
		}
		return model, version, err
	}
	found, err := c.Session().Read(c, q)
	if err == nil {
		err = scan.Only(found.Len())
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
func (r *Resource) ShownByKey(c *call.Call, shown scan.Representation, key any) (scan.SentRow, error) {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), sqldb.Param(key))
	row, err := shown.Write(c, q, scan.Window{Rows: 1, Version: r.Version})
	if err != nil {
		return scan.SentRow{}, err
	}
	return row.One()
}

// NarrowToKey narrows a statement to a row by its primary key, which has several columns for some
// rows without a viewset.
func (r *Resource) NarrowToKey(q bun.QueryBuilder, m reflect.Value) {
	for _, key := range r.Table.PKs {
		q.Where("?TableAlias.? = ?", bun.Ident(key.Name), cell.Of(key, m))
	}
}
