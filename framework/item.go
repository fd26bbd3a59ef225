package framework

import (
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
	i.whole, i.own = byKey(r, p, false), byKey(r, p, true)
	return i
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
		return i.shown.Write(c, i.resource.object(c, r), window{rows: 2})
	}
	found, err := c.Session().ReadBy(c, lookup, r.key, 2, owner...)
	if err != nil {
		return sentRows{}, err
	}
	return i.shown.(*plan).writer.rows(found, window{}) //nolint:forcetypeassert // newItem saw to it
}

// byKey is the statement of one row by its key and, of its own, its owner.
func byKey(r *resource, p *plan, own bool) *sqldb.Lookup {
	return sqldb.NewLookup(func(v sqldb.Values) schema.QueryAppender {
		c, key := r.api.anyone(), bun.Ident(r.key.Name)
		q := c.DB.NewSelect().Model(nilModel(r.model)).Where("?TableAlias.? ?", key, v.Key())
		if own {
			r.scope.ownedBy(c, q.QueryBuilder(), v.At(0))
		}
		return p.selectFrom(c, q).ColumnExpr("?TableAlias.?", key)
	})
}
