package listing

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A Related endpoint answers an action of Related.
type Related struct {
	*declare.RelatedRows

	Endpoint verb.Handler
	Of       *table.Resource // of the object
	Column   *schema.Field   // of Rows, refers to the object
	Rows     *table.Resource // the viewset of the related rows
	Shown    scan.Representation
	// Prepared statements. The keys are whether the scope of Of and the scope of Rows are
	// lifted.
	lookups map[[2]bool]*sqldb.Lookup
}

// Lists permits callers that may list the viewset of the rows.
func (l *Related) Lists() call.Permission {
	list := l.Rows.Access.Permission
	for _, e := range l.Rows.Endpoints {
		if e.Route.Name == call.VerbList {
			list = e.Permission
		}
	}
	return access.PermitsListing(list, l.Rows.Path)
}

// Prepare makes the prepared statements, if the view has a Writer, the object is not a single
// resource or nested, the key in the path is the primary key, and the order is by columns of the
// rows: an expression may have values, and related rows have scopes that depend on the caller. If a
// scope depends on more than the caller's id, only calls for which this scope is lifted have a
// statement.
func (l *Related) Prepare() {
	p, ok := l.Shown.(*view.Plan)
	if !ok || p.Writer == nil || l.Of.Key != l.Of.Pk || l.Of.Declaration.Single || l.Of.Above != nil || !ordering.OfRow(l.Rows.Ordering.Fallback) {
		return
	}
	l.lookups = map[[2]bool]*sqldb.Lookup{}
	for _, lifted := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		if !lifted[0] && !l.Of.Scope.ByOwner() || !lifted[1] && !l.Rows.Scope.ByOwner() {
			continue
		}
		l.lookups[lifted] = l.lookup(p, lifted)
	}
}

// lookup is the statement of the rows that refer to the object with a key. Unless both scopes
// are lifted, the statement has a second value: the caller's id.
func (l *Related) lookup(p *view.Plan, lifted [2]bool) *sqldb.Lookup {
	return sqldb.NewLookup(func(v sqldb.Values) schema.QueryAppender {
		c, object := l.Of.API.Anyone(), bun.Ident(l.Column.Name)
		q := c.DB.NewSelect().Model(bunmodel.NilModel(l.Rows.Model)).Where("?TableAlias.? ?", object, v.Key())
		if !lifted[0] || l.Of.Table.SoftDeleteField != nil {
			there := l.Of.Keys(c).Where("?TableAlias.? ?", bun.Ident(l.Of.Pk.Name), v.Key())
			if !lifted[0] {
				l.Of.Scope.OwnedBy(c, there.QueryBuilder(), v.At(0))
			}
			q = q.Where("?TableAlias.? IN (?)", object, there)
		}
		if !lifted[1] {
			l.Rows.Scope.OwnedBy(c, q.QueryBuilder(), v.At(0))
		}
		return p.SelectFrom(c, l.Rows.Ordering.Apply(c, q, l.Rows.Ordering.Fallback)).ColumnExpr("?TableAlias.?", object)
	})
}

// Serve answers one request. The statement of the rows also checks that the object is in scope.
// If it finds no rows, Serve checks whether there is an object in scope; without one, the error
// is 404. More rows than Config.MaxRows are the error 409.
func (l *Related) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	if err := l.Endpoint.IgnoreQuery(c, r.Query); err != nil {
		return nil, err
	}
	most := int64(l.Of.API.Config.MaxRows)
	shown, err := l.read(c, r, most)
	switch {
	case err != nil:
		return nil, err
	case shown.More:
		return nil, fault.TooManyRows(most, l.Viewset)
	case shown.Rows == 0:
		there, err := l.Of.Any(c, l.Of.Object(c, r).ColumnExpr("1"))
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, problem.NotFound()
		}
	}
	return &table.Response{Status: l.Endpoint.Status, Value: shown.List()}, nil
}

func (l *Related) read(c *call.Call, r *table.Request, most int64) (scan.SentRows, error) {
	looking := l.Rows.Looking(c)
	w := scan.Window{Rows: most, Probe: true}
	lifted := [2]bool{l.Of.Scope.Lifted(c), l.Rows.Scope.Lifted(looking)}
	whole := lifted == [2]bool{true, true}
	if lookup := l.lookups[lifted]; lookup != nil && (whole || !c.Caller.Anonymous()) {
		var owner []any
		if !whole {
			owner = []any{c.Caller.ID}
		}
		found, err := c.Session().ReadBy(c, lookup, r.Key, most+1, owner...)
		if err != nil {
			return scan.SentRows{}, err
		}
		return l.Shown.(*view.Plan).Writer.Rows(found, w) //nolint:forcetypeassert // Prepare checked it
	}
	object := l.Of.Object(c, r).ColumnExpr("?TableAlias.?", bun.Ident(l.Of.Pk.Name))
	q := l.Rows.Rows(looking).Where("?TableAlias.? IN (?)", bun.Ident(l.Column.Name), object)
	return l.Shown.Write(c, l.Rows.Ordering.Apply(c, q, l.Rows.Ordering.Fallback), w)
}
