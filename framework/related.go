package framework

import (
	"net/http"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A related endpoint answers an action of Related.
type related struct {
	*relatedRows

	endpoint handler
	of       *resource // the object's
	column   *schema.Field
	rows     *resource // the other viewset
	shown    representation
	// The statements by whether the scope of the object and that of the rows
	// are lifted.
	lookups map[[2]bool]*sqldb.Lookup
}

// lists permits those who may list the rows at their own address.
func (l *related) lists() Permission {
	list := l.rows.door.permission
	for _, e := range l.rows.endpoints {
		if e.route.Name == verbList {
			list = e.permission
		}
	}
	return permitsListing(list, l.rows.path)
}

// prepare makes the statements that can be built once: of rows that are written
// straight from their columns, for an object that its primary key names.
func (l *related) prepare() {
	p, ok := l.shown.(*plan)
	if !ok || p.writer == nil || l.of.key != l.of.pk || l.of.declaration.single {
		return
	}
	l.lookups = map[[2]bool]*sqldb.Lookup{}
	for _, lifted := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		if !lifted[0] && !l.of.scope.byOwner() || !lifted[1] && !l.rows.scope.byOwner() {
			continue
		}
		l.lookups[lifted] = l.lookup(p, lifted)
	}
}

// lookup is the statement of the rows that refer to an object, by its key; the
// value beside it is the caller, unless both scopes are lifted.
func (l *related) lookup(p *plan, lifted [2]bool) *sqldb.Lookup {
	return sqldb.NewLookup(func(v sqldb.Values) schema.QueryAppender {
		c, object := l.of.api.anyone(), bun.Ident(l.column.Name)
		q := c.DB.NewSelect().Model(nilModel(l.rows.model)).Where("?TableAlias.? ?", object, v.Key())
		if !lifted[0] || l.of.table.SoftDeleteField != nil {
			there := l.of.keys(c).Where("?TableAlias.? ?", bun.Ident(l.of.pk.Name), v.Key())
			if !lifted[0] {
				l.of.scope.ownedBy(c, there.QueryBuilder(), v.At(0))
			}
			q = q.Where("?TableAlias.? IN (?)", object, there)
		}
		if !lifted[1] {
			l.rows.scope.ownedBy(c, q.QueryBuilder(), v.At(0))
		}
		return p.selectFrom(c, l.rows.ordering.apply(q, l.rows.ordering.fallback)).ColumnExpr("?TableAlias.?", object)
	})
}

// serve reads the rows first, which are there for an object of the caller's
// alone; only where there are none it asks for the object.
func (l *related) serve(c *Call, r *request) (*response, error) {
	if err := l.endpoint.ignoreQuery(c, r.query); err != nil {
		return nil, err
	}
	most := int64(l.of.api.config.MaxRows)
	shown, err := l.read(c, r, most)
	switch {
	case err != nil:
		return nil, err
	case shown.more:
		return nil, problem.TooManyRows(most, l.viewset)
	case shown.rows == 0:
		there, err := l.of.any(c, l.of.object(c, r).ColumnExpr("1"))
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, problem.NotFound()
		}
	}
	return &response{status: l.endpoint.statusOr(http.StatusOK), value: shown.list()}, nil
}

func (l *related) read(c *Call, r *request, most int64) (sentRows, error) {
	looking := l.rows.looking(c)
	w := window{rows: most, probe: true}
	lifted := [2]bool{l.of.scope.lifted(c), l.rows.scope.lifted(looking)}
	whole := lifted == [2]bool{true, true}
	if lookup := l.lookups[lifted]; lookup != nil && (whole || !c.Caller.Anonymous()) {
		var owner []any
		if !whole {
			owner = []any{c.Caller.ID}
		}
		found, err := c.Session().ReadBy(c, lookup, r.key, most+1, owner...)
		if err != nil {
			return sentRows{}, err
		}
		return l.shown.(*plan).writer.rows(found, w) //nolint:forcetypeassert // prepare saw to it
	}
	object := l.of.object(c, r).ColumnExpr("?TableAlias.?", bun.Ident(l.of.pk.Name))
	q := l.rows.rows(looking).Where("?TableAlias.? IN (?)", bun.Ident(l.column.Name), object)
	return l.shown.Write(c, l.rows.ordering.apply(q, l.rows.ordering.fallback), w)
}
