package framework

import (
	"cmp"
	"reflect"

	"github.com/uptrace/bun"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// Functions are the rows of an API, for functions of its declarations.
type functions struct{ *registry }

// newFunctions makes the functions of a registry.
func newFunctions(a *registry) functions { return functions{a} }

// Find implements [rows].
func (a functions) Find(c *Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery) (reflect.Value, error) {
	r, shown, err := a.finder(viewset, out)
	if err != nil {
		return reflect.Value{}, err
	}
	q := r.rows(r.looking(c))
	if narrow != nil {
		q = q.WhereGroup(" AND ", narrow)
		if limits, err := a.hasLimit(q); err != nil || limits {
			return reflect.Value{}, cmp.Or(err, naming.Sentence("framework.Find(%q): narrow sets a limit or an offset, which Find does itself; let it add conditions alone, and cut the slice that Find returns", viewset))
		}
	}
	most := int64(a.config.MaxRows)
	found, more, err := shown.Rows(c, r.ordering.apply(q, r.ordering.fallback), window{rows: most, probe: true})
	if err == nil && more {
		err = problem.TooManyRows(most, viewset)
	}
	return found, err
}

// FindOne implements [rows].
func (a functions) FindOne(c *Call, viewset string, out reflect.Type, key any) (reflect.Value, error) {
	r, shown, err := a.finder(viewset, out)
	if err != nil {
		return reflect.Value{}, err
	}
	q := r.rows(r.looking(c)).Where("?TableAlias.? = ?", bun.Ident(r.pk.Name), sqldb.Param(key))
	found, _, err := shown.Rows(c, q, window{rows: 1})
	switch {
	case err != nil:
		return reflect.Value{}, err
	case found.Len() == 0:
		return reflect.Value{}, problem.NotFound()
	}
	return found.Index(0), nil
}

// hasLimit reports whether a query has a limit or an offset of its own, which bun
// shows in its text alone.
func (a functions) hasLimit(q *bun.SelectQuery) (bool, error) {
	gen := a.db.QueryGen()
	with, err := q.AppendQuery(gen, nil)
	if err != nil {
		return false, err
	}
	without, err := q.Limit(0).Offset(0).AppendQuery(gen, nil)
	return string(with) != string(without), err
}

// finder finds a viewset and how it shows a type.
func (a functions) finder(viewset string, out reflect.Type) (*resource, representation, error) {
	r, err := a.lookUp(viewset)
	if err != nil {
		return nil, nil, err
	}
	shown := r.shown[out]
	if shown == nil {
		return nil, nil, naming.Sentence("framework.Find: viewset %q does not show %s", viewset, out)
	}
	return r, shown, nil
}
