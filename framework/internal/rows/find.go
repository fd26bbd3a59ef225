package rows

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// Functions finds and stores rows of an API for the functions of its declarations. It
// implements [table.Rows].
type Functions struct{ *table.Registry }

// New makes the Functions of a registry.
func New(a *table.Registry) Functions { return Functions{a} }

// Find implements [table.Rows].
func (a Functions) Find(c *call.Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery) (reflect.Value, error) {
	r, shown, err := a.Finder(viewset, out)
	if err != nil {
		return reflect.Value{}, err
	}
	q := r.Rows(r.Looking(c))
	if narrow != nil {
		q = q.WhereGroup(" AND ", narrow)
		if limits, err := a.hasLimit(q); err != nil || limits {
			return reflect.Value{}, cmp.Or(err, naming.Sentence("framework.Find(%q): narrow sets a limit or an offset, which Find does itself; let it add conditions alone, and cut the slice that Find returns", viewset))
		}
	}
	most := int64(a.Config.MaxRows)
	found, more, err := shown.Rows(c, r.Ordering.Apply(c, q, r.Ordering.Fallback), table.Window{Rows: most, Probe: true})
	if err == nil && more {
		err = fault.TooManyRows(most, viewset)
	}
	return found, err
}

// FindOne implements [table.Rows].
func (a Functions) FindOne(c *call.Call, viewset string, out reflect.Type, key any) (reflect.Value, error) {
	r, shown, err := a.Finder(viewset, out)
	if err != nil {
		return reflect.Value{}, err
	}
	q := r.Rows(r.Looking(c)).Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), sqldb.Param(key))
	found, _, err := shown.Rows(c, q, table.Window{Rows: 1})
	switch {
	case err != nil:
		return reflect.Value{}, err
	case found.Len() == 0:
		return reflect.Value{}, problem.NotFound()
	}
	return found.Index(0), nil
}

// hasLimit reports whether a query has a limit or an offset, and removes both from it. bun shows
// them only in the SQL.
func (a Functions) hasLimit(q *bun.SelectQuery) (bool, error) {
	gen := a.DB.QueryGen()
	with, err := q.AppendQuery(gen, nil)
	if err != nil {
		return false, err
	}
	without, err := q.Limit(0).Offset(0).AppendQuery(gen, nil)
	return string(with) != string(without), err
}

// Finder finds a viewset and the representation that shows a type. If the viewset does not
// exist or does not have the view, it returns an error.
func (a Functions) Finder(viewset string, out reflect.Type) (*table.Resource, table.Representation, error) {
	r, err := a.LookUp(viewset)
	if err != nil {
		return nil, nil, err
	}
	shown := r.Shown[out]
	if shown == nil {
		return nil, nil, naming.Sentence("viewset %q has no view %s; its views are: %s", viewset, out, viewNames(r))
	}
	return r, shown, nil
}

// viewNames lists the views of a resource in the order of their names.
func viewNames(r *table.Resource) string {
	var names []string
	for view := range r.Shown {
		names = append(names, view.String())
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
