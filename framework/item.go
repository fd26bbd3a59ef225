package framework

import (
	"context"
	"reflect"
	"sync"

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
	// their own, built at the first request; nil where each is built anew.
	whole, own func() (*sqldb.Template, error)
}

func newItem(r *resource, shown representation, status int) *item {
	i := &item{resource: r, shown: shown, status: status}
	p, ok := shown.(*plan)
	if !ok || p.writer == nil || r.declaration.single {
		return i
	}
	i.whole = sync.OnceValues(func() (*sqldb.Template, error) { return i.template(p, false) })
	i.own = sync.OnceValues(func() (*sqldb.Template, error) { return i.template(p, true) })
	return i
}

// template is the statement of one row by its key and its owner.
func (i *item) template(p *plan, own bool) (*sqldb.Template, error) {
	r := i.resource
	anyone := r.api.newCall(context.Background(), Route{})
	anyone.Caller = &Caller{ID: newID()}
	return r.api.db.Template(func(value func(int) schema.QueryAppender) schema.QueryAppender {
		q := anyone.DB.NewSelect().Model(nilModel(r.model)).Where("?TableAlias.? = ?", bun.Ident(r.key.Name), value(0))
		if own {
			r.scope.ownedBy(anyone, q.QueryBuilder(), value(1))
		}
		return bun.SafeQuery("? LIMIT 2", p.selectFrom(anyone, q))
	})
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
	var template func() (*sqldb.Template, error)
	switch {
	case i.resource.scope.lifted(c):
		template = i.whole
	case !c.Caller.Anonymous() && i.resource.scope.byOwner():
		template = i.own
	}
	if template == nil {
		return i.shown.write(c, i.resource.object(c, r), window{rows: 2})
	}
	t, err := template()
	if err != nil {
		return sentRows{}, err
	}
	found, err := c.session.ReadAs(c, t, r.key, c.Caller.ID)
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
