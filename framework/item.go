package framework

import (
	"context"
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// An item answers GET {path}/{id}/.
type item struct {
	resource *resource
	shown    representation
	status   int
	// The statements for callers who have every row, and for those who have
	// their own; nil where each request builds its own.
	whole, own *sqldb.Lookup
}

func newItem(r *resource, shown representation, status int) *item {
	i := &item{resource: r, shown: shown, status: status}
	p, ok := shown.(*plan)
	if !ok || p.writer == nil || r.declaration.single {
		return i
	}
	i.whole, i.own = r.byKey(p, false), r.byKey(p, true)
	return i
}

// byKey is the statement of one row by its key and, of its own, its owner.
func (r *resource) byKey(p *plan, own bool) *sqldb.Lookup {
	return sqldb.NewLookup(func(v sqldb.Values) schema.QueryAppender {
		c, key := r.api.anyone(), bun.Ident(r.key.Name)
		q := c.DB.NewSelect().Model(nilModel(r.model)).Where("?TableAlias.? ?", key, v.Key())
		if own {
			r.scope.ownedBy(c, q.QueryBuilder(), v.At(0))
		}
		return p.selectFrom(c, q).ColumnExpr("?TableAlias.?", key)
	})
}

// anyone is a call by somebody who is known, to build a statement of that many
// share.
func (a *API) anyone() *Call {
	c := a.newCall(context.Background(), Route{})
	c.Caller = &Caller{ID: newID()}
	return c
}

func (i *item) serve(c *Call, r *request) (*response, error) {
	shown, err := i.read(c, r)
	if err != nil {
		return nil, err
	}
	one, err := shown.one()
	return &response{status: i.status, value: one}, err
}

func (i *item) read(c *Call, r *request) (sentRows, error) {
	var (
		lookup *sqldb.Lookup
		owner  []any
	)
	switch {
	case i.resource.scope.lifted(c):
		lookup = i.whole
	case !c.Caller.Anonymous() && i.resource.scope.byOwner():
		lookup, owner = i.own, []any{c.Caller.ID}
	}
	if lookup == nil {
		return i.shown.write(c, i.resource.object(c, r), window{rows: 2})
	}
	found, err := c.session.ReadBy(c, lookup, r.key, 2, owner...)
	if err != nil {
		return sentRows{}, err
	}
	return i.shown.(*plan).writer.rows(found, window{}) //nolint:forcetypeassert // newItem saw to it
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
	if c.session.InTx() {
		q = r.api.db.Kind().ForUpdate(q)
	}
	if r.table.HasBeforeScanRowHook() || r.table.HasAfterScanRowHook() {
		found, err := scanModels(c, q, window{})
		if err == nil {
			err = only(found)
		}
		return model, err
	}
	found, err := c.session.Read(c, q)
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
	row, err := shown.write(c, q, window{rows: 1})
	if err != nil {
		return nil, err
	}
	return row.one()
}
