package rows

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/scan"
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
func (a Functions) Find(
	c *call.Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery, selected declare.Selection,
) (reflect.Value, error) {
	r, shown, err := a.Finder(viewset, out)
	if err != nil {
		return reflect.Value{}, err
	}
	window, err := a.window(viewset, selected)
	if err != nil {
		return reflect.Value{}, err
	}
	order, err := r.Ordering.ByFields(r, selected.Order)
	if err != nil {
		return reflect.Value{}, naming.Sentence("framework.Find(%q): OrderBy: %w", viewset, err)
	}
	q := r.Rows(r.Looking(c))
	if narrow != nil {
		q = q.WhereGroup(" AND ", narrow)
		if limits, err := scan.HasLimit(a.DB, q); err != nil || limits {
			return reflect.Value{}, cmp.Or(err, naming.Sentence("framework.Find(%q): narrow sets a limit or an offset, which Find does itself; let it add conditions alone, and give Find the option Limit or PageOf", viewset))
		}
	}
	found, more, err := shown.Rows(c, r.Ordering.Apply(c, q, order), window)
	if err == nil && more {
		err = fault.TooManyRows(window.Rows, viewset)
	}
	return found, err
}

// window returns the rows that a selection wants. Without a limit these are all rows, up to
// Config.MaxRows, and a probe for more.
func (a Functions) window(viewset string, selected declare.Selection) (scan.Window, error) {
	most := a.Config.MaxRows
	rows, page := int64(selected.Rows), int64(selected.Page)
	switch {
	case selected.Limits == 0:
		return scan.Window{Rows: int64(most), Probe: true}, nil
	case selected.Limits > 1:
		return scan.Window{}, naming.Sentence("framework.Find(%q): Limit and PageOf are given together, or one of them twice; give one", viewset)
	case selected.Rows < 1 || selected.Rows > most:
		return scan.Window{}, naming.Sentence("framework.Find(%q): %d rows cannot be read at once; the number must be from 1 to Config.MaxRows, which is %d", viewset, rows, most)
	case page < 1 || page > math.MaxInt64/rows:
		return scan.Window{}, naming.Sentence("framework.Find(%q): there is no page %d; pages are numbered from 1", viewset, page)
	}
	return scan.Window{Rows: rows, Offset: (page - 1) * rows}, nil
}

// FindOne implements [table.Rows].
func (a Functions) FindOne(c *call.Call, viewset string, out reflect.Type, key any) (reflect.Value, error) {
	r, shown, err := a.Finder(viewset, out)
	if err != nil {
		return reflect.Value{}, err
	}
	if text, ok := key.(string); ok {
		if key, ok = datatype.ParseKey(r.Pk.IndirectType, text); !ok {
			return reflect.Value{}, problem.NotFound()
		}
	}
	q := r.Rows(r.Looking(c)).Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), sqldb.Param(key))
	found, _, err := shown.Rows(c, q, scan.Window{Rows: 1})
	switch {
	case err != nil:
		return reflect.Value{}, err
	case found.Len() == 0:
		return reflect.Value{}, problem.NotFound()
	}
	return found.Index(0), nil
}

// Finder finds a viewset and the representation that shows a type. If the viewset does not
// exist or does not have the view, it returns an error.
func (a Functions) Finder(viewset string, out reflect.Type) (*table.Resource, scan.Representation, error) {
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
