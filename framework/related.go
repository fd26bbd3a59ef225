package framework

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// Related declares GET {path}/{id}/{name}/: all rows of another viewset whose
// field refers to the object, those that the caller may see, in that viewset's
// default order, as an array of Out, which is one of its read shapes. field is
// the client's name for it there. More rows than [Config.MaxRows] are refused
// with 409 too_many_rows.
//
//	framework.Related[Patient, AppointmentView]("appointments", "appointments", "patient")
func Related[M, Out any](name, viewset, field string) Action[M] {
	return Action[M]{action{
		name: name, method: http.MethodGet, onObject: true, in: reflect.TypeFor[None](), out: reflect.TypeFor[[]Out](),
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
	// are lifted, built at the first request.
	templates map[[2]bool]func() (*sqldb.Template, error)
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
		fault(sentence("%q of %s is %s, but the key of %s is %s", declared.field, declared.viewset, field.Type, e.resource.path, e.resource.pk.IndirectType))
		return nil
	}
	rel := &related{relatedRows: declared, endpoint: e, of: e.resource, column: field.column, rows: target.r}
	b.later(func() {
		if _, rel.shown, err = b.api.finder(declared.viewset, declared.out); err != nil {
			fault(sentence("%s shows no %s; name one of its read shapes", declared.viewset, declared.out))
			return
		}
		rel.prepare()
	})
	return rel.serve
}

// prepare makes the statements that can be built once: of rows that are written
// straight from their columns, for an object that its primary key names.
func (l *related) prepare() {
	p, ok := l.shown.(*plan)
	if !ok || p.writer == nil || l.of.key != l.of.pk || l.of.declaration.single {
		return
	}
	l.templates = map[[2]bool]func() (*sqldb.Template, error){}
	for _, lifted := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		if !lifted[0] && !l.of.scope.byOwner() || !lifted[1] && !l.rows.scope.byOwner() {
			continue
		}
		l.templates[lifted] = sync.OnceValues(func() (*sqldb.Template, error) { return l.template(p, lifted) })
	}
}

// template is the statement of the rows that refer to an object: value 0 is the
// object's key, 1 the caller, 2 the most rows.
func (l *related) template(p *plan, lifted [2]bool) (*sqldb.Template, error) {
	api := l.of.api
	anyone := api.newCall(context.Background(), Route{})
	anyone.Caller = &Caller{ID: newID()}
	return api.db.Template(func(value func(int) schema.QueryAppender) schema.QueryAppender {
		q := anyone.DB.NewSelect().Model(nilModel(l.rows.model)).Where("?TableAlias.? = ?", bun.Ident(l.column.Name), value(0))
		if !lifted[0] {
			mine := l.of.keys(anyone).Where("?TableAlias.? = ?", bun.Ident(l.of.pk.Name), value(0))
			l.of.scope.ownedBy(anyone, mine.QueryBuilder(), value(1))
			q = q.Where("?TableAlias.? IN (?)", bun.Ident(l.column.Name), mine)
		}
		if !lifted[1] {
			l.rows.scope.ownedBy(anyone, q.QueryBuilder(), value(1))
		}
		return bun.SafeQuery("? LIMIT ?", p.selectFrom(anyone, l.rows.ordering.apply(q, l.rows.ordering.fallback)), value(2))
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
		return nil, tooManyRows(most, l.viewset)
	case shown.rows == 0:
		there, err := l.of.any(c, l.of.object(c, r).ColumnExpr("1"))
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, NotFound()
		}
	}
	return &response{status: l.endpoint.statusOr(http.StatusOK), value: shown.list()}, nil
}

func (l *related) read(c *Call, r *request, most int64) (sentRows, error) {
	looking := l.rows.looking(c)
	w := window{rows: most, probe: true}
	if template := l.templates[[2]bool{l.of.scope.lifted(c), l.rows.scope.lifted(looking)}]; template != nil && c.Caller.ID != uuid.Nil {
		t, err := template()
		if err != nil {
			return sentRows{}, err
		}
		found, err := c.session.ReadAs(c, t, r.key, c.Caller.ID, most+1)
		if err != nil {
			return sentRows{}, err
		}
		return l.shown.(*plan).writer.rows(found, w) //nolint:forcetypeassert // prepare saw to it
	}
	object := l.of.object(c, r).ColumnExpr("?TableAlias.?", bun.Ident(l.of.pk.Name))
	q := l.rows.rows(looking).Where("?TableAlias.? IN (?)", bun.Ident(l.column.Name), object)
	return l.shown.write(c, l.rows.ordering.apply(q, l.rows.ordering.fallback), w)
}

func tooManyRows(most int64, viewset string) *Error {
	return Refuse(http.StatusConflict, CodeTooManyRows,
		fmt.Sprintf("There are more than %d rows; list them in pages, at the address of %s.", most, viewset))
}
