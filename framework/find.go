package framework

import (
	"reflect"
)

// Find reads rows of another viewset for a function: those that the caller
// may see and that narrow leaves, in the viewset's default order, as that
// viewset shows them. Out is one of its read shapes; another is an error, and
// so is a viewset that is not registered. A nil narrow leaves all.
func Find[Out any](c *Call, viewset string, narrow Narrow) ([]Out, error) {
	target, err := c.api.target(viewset)
	if err != nil {
		return nil, err
	}
	r := target.r
	shown := r.shown[reflect.TypeFor[Out]()]
	if shown == nil {
		return nil, sentence("framework.Find: viewset %q does not show %s", viewset, reflect.TypeFor[Out]())
	}
	q := r.rows(r.looking(c))
	if narrow != nil {
		q = q.WhereGroup(" AND ", narrow)
	}
	rows, err := shown.rows(c, r.ordering.apply(q, r.ordering.fallback), window{})
	if err != nil {
		return nil, err
	}
	return rows.Interface().([]Out), nil
}
