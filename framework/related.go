package framework

import (
	"net/http"
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// Related declares GET {path}/{id}/{name}/: all rows of another viewset whose
// field refers to the object, those that the caller may see, in that viewset's
// default order, as an array of Out, which is one of its read shapes. Callers need
// the permission to list that viewset as well. field is the client's name for it
// there. More rows than [Config.MaxRows] are refused with 409 too_many_rows.
//
//	framework.Related[Patient, AppointmentView]("appointments", "appointments", "patient")
func Related[M, Out any](name, viewset, field string) Action[M] {
	return Action[M]{action{
		name: name, method: http.MethodGet, onObject: true, in: reflect.TypeFor[input.None](), out: reflect.TypeFor[[]Out](),
		related: &relatedRows{viewset: viewset, field: field, out: reflect.TypeFor[Out]()},
	}}
}

// relatedRows is what an action of Related declares.
type relatedRows struct {
	viewset, field string
	out            reflect.Type
}

// A related endpoint answers an action of Related.
type related struct {
	*relatedRows

	endpoint *endpoint
	of       *resource // the object's
	column   *schema.Field
	rows     *resource // the other viewset
	shown    representation
	// The statements by whether the scope of the object and that of the rows
	// are lifted.
	lookups map[[2]bool]*sqldb.Lookup
}

// bindRelated finds the viewset and the field, and reports what is wrong with
// them. The viewset's shapes are known when all are bound.
func (b *binder) bindRelated(e *endpoint, declared *relatedRows, fault func(error)) func(*Call, *request) (*response, error) {
	target, err := b.api.target(declared.viewset)
	if err != nil {
		fault(err)
		return nil
	}
	field, err := target.r.field(declared.field)
	switch {
	case err != nil:
		fault(err)
		return nil
	case field.Type != e.resource.pk.IndirectType:
		fault(naming.Sentence("%q of %s is %s, but the key of %s is %s", declared.field, declared.viewset, field.Type, e.resource.path, e.resource.pk.IndirectType))
		return nil
	}
	rel := &related{relatedRows: declared, endpoint: e, of: e.resource, column: field.column, rows: target.r}
	b.later(func() {
		if _, rel.shown, err = b.api.finder(declared.viewset, declared.out); err != nil {
			fault(naming.Sentence("%s shows no %s; name one of its read shapes", declared.viewset, declared.out))
			return
		}
		rel.prepare()
		e.permission = All(e.permission, rel.lists())
	})
	return rel.serve
}

// lists permits those who may list the rows at their own address.
func (l *related) lists() Permission {
	list := l.rows.door.permission
	for _, e := range l.rows.endpoints {
		if e.route.Name == verbList {
			list = e.permission
		}
	}
	return permission{name: list.String(), of: []Permission{list}, takesKnown: takesKnown(list), permit: func(c *Call) bool {
		return list.Permit(l.rows.looking(c))
	}}
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
	most := int64(c.api.config.MaxRows)
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
		found, err := c.session.ReadBy(c, lookup, r.key, most+1, owner...)
		if err != nil {
			return sentRows{}, err
		}
		return l.shown.(*plan).writer.rows(found, w) //nolint:forcetypeassert // prepare saw to it
	}
	object := l.of.object(c, r).ColumnExpr("?TableAlias.?", bun.Ident(l.of.pk.Name))
	q := l.rows.rows(looking).Where("?TableAlias.? IN (?)", bun.Ident(l.column.Name), object)
	return l.shown.write(c, l.rows.ordering.apply(q, l.rows.ordering.fallback), w)
}
