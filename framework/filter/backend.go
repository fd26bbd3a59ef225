package filter

import (
	"errors"
	"fmt"
	"reflect"

	"trestle.example/framework"
)

// A Backend is a filter of this package, a [framework.Filter]. Make it with one of the
// functions here. API.Check reports the zero Backend as a mistake.
type Backend struct {
	name string
	docs []string // descriptions of its parameters that replace the default ones
	bind func(f *framework.Facts) (framework.BoundFilter, error)
}

// Doc returns the filter with its own descriptions for clients: one sentence for each
// parameter, such as "Only appointments that cost at least this.". A [Range] has two
// parameters. API.Check reports any other number of sentences; without sentences the default
// ones stay.
func (b Backend) Doc(texts ...string) Backend {
	b.docs = texts
	return b
}

// String returns the name of the field or the parameter, for error texts.
func (b Backend) String() string { return b.name }

// Bind implements [framework.Filter].
func (b Backend) Bind(f *framework.Facts) (framework.BoundFilter, error) {
	if b.bind == nil {
		return framework.BoundFilter{}, errors.New("the zero filter.Backend filters nothing; make one with a function of package filter, such as filter.Exact")
	}
	bound, err := b.bind(f)
	if err != nil {
		return framework.BoundFilter{}, err
	}
	if len(b.docs) > 0 && len(b.docs) != len(bound.Params) {
		return framework.BoundFilter{}, fmt.Errorf("its Doc has %d sentences for %d parameters; give each its own", len(b.docs), len(bound.Params))
	}
	for i := range bound.Params {
		p := &bound.Params[i]
		if p.Name == "" {
			return framework.BoundFilter{}, errors.New("a filter's parameter has no name; say what clients call it, as in filter.Min(\"min_fee\", \"fee\")")
		}
		if len(b.docs) > 0 {
			p.Doc = b.docs[i]
		}
	}
	return bound, nil
}

// onField makes a backend for one column, or expression, of a row or of related rows. suits
// checks during Bind whether it has a suitable type. bound returns the filter for the row that
// has it.
func onField(field string, suits func(framework.Field) error, bound func(framework.Field) framework.BoundFilter) Backend {
	return onPath(field, suits, func(f framework.Field) framework.BoundFilter {
		b := bound(f)
		read := b.Read
		b.Read = func(c *framework.Call, v framework.Values) (framework.Narrow, error) {
			narrow, err := read(c, v)
			return f.Narrow(c, narrow), err
		}
		return b
	})
}

// onPath makes a backend as [onField] does, but bound returns the filter for the row of the list,
// also if a related row has the field.
func onPath(field string, suits func(framework.Field) error, bound func(framework.Field) framework.BoundFilter) Backend {
	return Backend{name: field, bind: func(facts *framework.Facts) (framework.BoundFilter, error) {
		f, err := facts.FieldAt(field)
		if err != nil {
			return framework.BoundFilter{}, err
		}
		if err := suits(f); err != nil {
			return framework.BoundFilter{}, err
		}
		return bound(f), nil
	}}
}

// onParam is a backend of a constructor whose field is optional: without one, the parameter has
// the name of the field.
func onParam(constructor, param string, field []string, backend func(field string) Backend) Backend {
	switch len(field) {
	case 0:
		return backend(param)
	case 1:
		return backend(field[0])
	}
	return Backend{name: param, bind: func(*framework.Facts) (framework.BoundFilter, error) {
		return framework.BoundFilter{}, fmt.Errorf("filter.%s(%q) is given %d fields; it takes one", constructor, param, len(field))
	}}
}

// withParam makes a filter with one parameter. If read returns an error that is no
// [framework.Error], it becomes a 400 that names the parameter.
func withParam(p framework.Param, read func(c *framework.Call, text string) (framework.Narrow, error)) framework.BoundFilter {
	return framework.BoundFilter{
		Params: []framework.Param{p},
		Read: func(c *framework.Call, v framework.Values) (framework.Narrow, error) {
			narrow, err := read(c, v[p.Name])
			return narrow, blame(p.Name, err)
		},
	}
}

// blame turns an error into a 400 that names the parameter. It returns nil and a
// [framework.Error] unchanged.
func blame(param string, err error) error {
	var ready *framework.Error
	if err == nil || errors.As(err, &ready) {
		return err
	}
	return framework.InvalidParameter(param, err.Error())
}

// markScan marks a filter whose rows no index finds, or that excludes few rows.
func markScan(b framework.BoundFilter) framework.BoundFilter {
	b.Scans = true
	return b
}

// markBoolean marks a filter by whole values if the field is a boolean: it has only two
// values, so no index is useful for it. For any other field it removes the mark.
func markBoolean(f framework.Field, b framework.BoundFilter) framework.BoundFilter {
	b.Scans = f.Type.Kind() == reflect.Bool
	return b
}
