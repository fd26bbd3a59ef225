package framework

import (
	"reflect"
)

// Save writes a row back for a function that changed it: every column, the
// time of change, and the stored search document. The row is one that the
// function was given, or read within its transaction. Save does not look at
// the scope; a model that no viewset serves is an error.
func Save[M any](c *Call, m *M) error {
	r, err := c.api.served(reflect.TypeFor[M]())
	if err != nil {
		return err
	}
	row := reflect.ValueOf(m).Elem()
	if r.updated != nil {
		r.updated.Value(row).Set(timeValue(r.updated, c.Now))
	}
	r.document(row)
	return r.store(c, row)
}

// Insert stores a new row for a function, as Create does: with a key, its
// times, the caller as owner where the viewset's scope is Own, and the stored
// search document. A key or an owner that is set already stays. A model that
// no viewset serves is an error.
func Insert[M any](c *Call, m *M) error {
	r, err := c.api.served(reflect.TypeFor[M]())
	if err != nil {
		return err
	}
	row := reflect.ValueOf(m)
	if err := r.stamp(c, row.Elem()); err != nil {
		return err
	}
	r.document(row.Elem())
	return r.insert(c, row)
}

// served finds the viewset that keeps a model: the first that is registered,
// or the first that stores a search document of it.
func (a *API) served(model reflect.Type) (*resource, error) {
	var first *resource
	for _, r := range a.resources {
		if r.model != model {
			continue
		}
		if r.search != nil && r.search.stored != nil {
			return r, nil
		}
		if first == nil {
			first = r
		}
	}
	if first == nil {
		return nil, sentence("no viewset serves %s", model)
	}
	return first, nil
}
