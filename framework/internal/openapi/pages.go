package openapi

import (
	"reflect"
	"slices"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// list returns the schema of a page of rows: a component with the members of the sample pages. A
// member that a sample lacks is optional. If a member has no name, the page is the array of
// rows.
func (w *writer) list(e *spec.Endpoint) wire.JSONSchema {
	rows := wire.JSONSchema{"type": "array", "items": w.schemas.out(e.Output)}
	samples := e.Page.Samples
	properties, required := wire.Members{}, []any{}
	for _, envelope := range samples {
		for _, m := range envelope {
			if m.Name == "" {
				return rows
			}
			if properties.Member(m.Name) != nil {
				continue
			}
			properties.Add(m.Name, described(w.member(m.Name, samples, rows), m.Doc))
			if !slices.ContainsFunc(samples, func(other []spec.Member) bool { return !has(other, m.Name) }) {
				required = append(required, m.Name)
			}
		}
	}
	name, _ := w.schemas.allot(pageOf{e.ID}, e.Page.Name)
	w.schemas.named[name] = object(properties, required)
	return schemaOf(name)
}

func has(page []spec.Member, name string) bool {
	return slices.ContainsFunc(page, func(m spec.Member) bool { return m.Name == name })
}

// member returns the schema of a member's values in all samples: several types become
// alternatives, and a nil value makes it nullable.
func (w *writer) member(name string, samples [][]spec.Member, rows wire.JSONSchema) wire.JSONSchema {
	var types []reflect.Type
	var kinds []any
	null := false
	for _, envelope := range samples {
		for _, m := range envelope {
			switch t := reflect.TypeOf(m.Value); {
			case m.Name != name || slices.Contains(types, t):
			case t == nil:
				null = true
			case t == reflect.TypeFor[spec.Rows]():
				types, kinds = append(types, t), append(kinds, rows)
			default:
				types, kinds = append(types, t), append(kinds, w.schemas.out(t))
			}
		}
	}
	schema := wire.JSONSchema{}
	switch {
	case len(kinds) == 1:
		schema = kinds[0].(wire.JSONSchema) //nolint:forcetypeassert // all of them are
	case len(kinds) > 1:
		schema = wire.JSONSchema{"anyOf": kinds}
	}
	if null {
		return nullable(schema)
	}
	return schema
}
