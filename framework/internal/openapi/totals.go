package openapi

import (
	"maps"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// A totalsOf is a schema of an endpoint of totals: a member of its rows, its rows, or its whole answer.
type totalsOf struct{ id, part string }

// totals returns the schema of totals: a component with the rows, which have the members of the parts that a request chooses.
func (w *writer) totals(e *spec.Endpoint) wire.JSONSchema {
	t := e.Totals
	properties := wire.Members{}
	for _, part := range t.Parts {
		properties.Add(part.Member, described(w.totalsPart(e, part), part.Doc))
	}
	properties.Add("count", wire.JSONSchema{"type": "integer", "format": "int64", "minimum": 0, "description": "The number of rows."})
	row := w.component(totalsOf{e.ID, "row"}, t.Name+"Row", object(properties, []any{"count"}))
	const said = "A row for each group, in the order of their values with null last; one row without groups."
	rows := wire.JSONSchema{"type": "array", "items": row, "description": said}
	return w.component(totalsOf{e.ID, ""}, t.Name, object(wire.Members{{Name: "totals", Value: rows}}, []any{"totals"}))
}

// totalsPart returns the schema of one member of a row of totals: a value for each field that the request names.
func (w *writer) totalsPart(e *spec.Endpoint, part spec.TotalsPart) wire.JSONSchema {
	properties := wire.Members{}
	for _, f := range part.Fields {
		schema := w.schemas.out(f.Type)
		if f.Unbounded {
			schema = maps.Clone(schema)
			maps.DeleteFunc(schema, func(keyword string, _ any) bool { return keyword == "minimum" || keyword == "maximum" })
		}
		if f.Nullable {
			schema = nullable(schema)
		}
		properties.Add(f.Name, schema)
	}
	return w.component(totalsOf{e.ID, part.Member}, e.Totals.Name+naming.Title(part.Member), object(properties, nil))
}

// component makes a component of a schema, and returns a reference to it.
func (w *writer) component(thing any, name string, schema wire.JSONSchema) wire.JSONSchema {
	name, _ = w.schemas.allot(thing, name)
	w.schemas.named[name] = schema
	return schemaOf(name)
}
