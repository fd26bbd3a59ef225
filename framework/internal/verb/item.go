package verb

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/sqldb"
)

// An Item answers GET {path}/{id}/.
type Item struct {
	// Selection is what clients may choose of the row; nil for nothing.
	Selection *view.Selection

	endpoint Handler
	resource *table.Resource
	shown    scan.Representation // of a request that chooses no members
	// Prepared statements: whole if the scope is lifted for the caller, own if the scope depends
	// on the caller's id alone. If neither applies or they are nil, a request builds its statement.
	whole, own *sqldb.Lookup
}

// NewItem makes an Item. It has prepared statements if the view has a Writer, which writes JSON
// straight from the columns, and the resource is neither single nor nested.
func NewItem(e Handler, shown scan.Representation) *Item {
	r := e.Resource
	i := &Item{endpoint: e, resource: r, shown: shown}
	p, ok := shown.(*view.Plan)
	if !ok || p.Writer == nil || r.Declaration.Single || r.Above != nil {
		return i
	}
	i.whole, i.own = byKey(r, p, false), byKey(r, p, true)
	return i
}

// Serve answers one request. If the row does not exist or is out of scope, the error is 404.
func (i *Item) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	shown, err := i.read(c, r)
	if err != nil {
		return nil, err
	}
	one, err := shown.One()
	return &table.Response{Status: i.endpoint.Status, Value: one.Value, Version: one.Version}, err
}

func (i *Item) read(c *call.Call, r *table.Request) (scan.SentRows, error) {
	window := scan.Window{Rows: 2, Version: i.resource.Version}
	if i.endpoint.Asks {
		chosen, deleted, err := i.chosen(c, r)
		switch {
		case err != nil:
			return scan.SentRows{}, err
		case deleted:
			return chosen.Write(c, i.resource.Erased(c, r), scan.Window{Rows: 1, Version: i.resource.Version})
		case chosen != i.shown:
			return chosen.Write(c, i.resource.Object(c, r), window)
		}
	}
	var (
		lookup *sqldb.Lookup
		owner  []any
	)
	switch {
	case i.resource.Scope.Lifted(c):
		lookup = i.whole
	case !c.Caller.Anonymous() && i.resource.Scope.ByOwner():
		lookup, owner = i.own, []any{c.Caller.ID}
	}
	if lookup == nil {
		return i.shown.Write(c, i.resource.Object(c, r), window)
	}
	found, err := c.Session().ReadBy(c, lookup, r.Key, 2, owner...)
	if err != nil {
		return scan.SentRows{}, err
	}
	return i.shown.(*view.Plan).Sent(c, found, window) //nolint:forcetypeassert // NewItem checked it
}

// chosen is the representation with the members that a request chooses, and reports whether it requests a deleted row.
func (i *Item) chosen(c *call.Call, r *table.Request) (shown scan.Representation, deleted bool, err error) {
	values, err := i.endpoint.ReadParams(c, r.Query)
	if err == nil {
		deleted, err = i.endpoint.ReadDeleted(c, values)
	}
	if err != nil || i.Selection == nil {
		return i.shown, deleted, err
	}
	shown, err = i.Selection.Read(values)
	return shown, deleted, err
}

// byKey is the statement that reads one row by its key, and by its owner if own is set.
func byKey(r *table.Resource, p *view.Plan, own bool) *sqldb.Lookup {
	return sqldb.NewLookup(func(v sqldb.Values) schema.QueryAppender {
		c, key := r.API.Anyone(), bun.Ident(r.Key.Name)
		q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).Where("?TableAlias.? ?", key, v.Key())
		if own {
			r.Scope.OwnedBy(c, q.QueryBuilder(), v.At(0))
		}
		return r.Version.Select(p.SelectFrom(c, q)).ColumnExpr("?TableAlias.?", key)
	})
}
