package framework

import (
	"cmp"
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// Find reads rows of another viewset for a function: those that the caller
// may see and that narrow leaves, in the viewset's default order, as that
// viewset shows them. Out is one of its read shapes; another is an error, and
// so is a viewset that is not registered. A nil narrow leaves all; one that sets a
// limit or an offset is an error, for Find has a limit of its own: more rows than
// [Config.MaxRows] are refused with 409 too_many_rows.
func Find[Out any](c *Call, viewset string, narrow Narrow) ([]Out, error) {
	r, shown, err := c.api.finder(viewset, reflect.TypeFor[Out]())
	if err != nil {
		return nil, err
	}
	q := r.rows(r.looking(c))
	if narrow != nil {
		q = q.WhereGroup(" AND ", narrow)
		if limits, err := hasLimit(c, q); err != nil || limits {
			return nil, cmp.Or(err, naming.Sentence("framework.Find(%q): narrow sets a limit or an offset, which Find does itself; let it add conditions alone, and cut the slice that Find returns", viewset))
		}
	}
	most := int64(c.api.config.MaxRows)
	rows, more, err := shown.rows(c, r.ordering.apply(q, r.ordering.fallback), window{rows: most, probe: true})
	if err != nil {
		return nil, err
	}
	if more {
		return nil, problem.TooManyRows(most, viewset)
	}
	return rows.Interface().([]Out), nil
}

// hasLimit reports whether a query has a limit or an offset of its own, which bun
// shows in its text alone.
func hasLimit(c *Call, q *bun.SelectQuery) (bool, error) {
	gen := c.api.db.QueryGen()
	with, err := q.AppendQuery(gen, nil)
	if err != nil {
		return false, err
	}
	without, err := q.Limit(0).Offset(0).AppendQuery(gen, nil)
	return string(with) != string(without), err
}

// FindOne reads one row of a viewset by its primary key, as [Find] does; one
// that the caller may not see is not found, [NotFound].
func FindOne[Out any](c *Call, viewset string, key any) (Out, error) {
	var none Out
	r, shown, err := c.api.finder(viewset, reflect.TypeFor[Out]())
	if err != nil {
		return none, err
	}
	q := r.rows(r.looking(c)).Where("?TableAlias.? = ?", bun.Ident(r.pk.Name), sqldb.Param(key))
	rows, _, err := shown.rows(c, q, window{rows: 1})
	if err != nil {
		return none, err
	}
	if rows.Len() == 0 {
		return none, problem.NotFound()
	}
	return rows.Index(0).Interface().(Out), nil
}

// finder finds a viewset and how it shows Out.
func (a *API) finder(viewset string, out reflect.Type) (*resource, representation, error) {
	target, err := a.target(viewset)
	if err != nil {
		return nil, nil, err
	}
	shown := target.r.shown[out]
	if shown == nil {
		return nil, nil, naming.Sentence("framework.Find: viewset %q does not show %s", viewset, out)
	}
	return target.r, shown, nil
}
