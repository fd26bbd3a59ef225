package openapi

import (
	"reflect"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// A resultOf is the schema of the result of one of several items, whose rows have a type.
type resultOf struct{ row reflect.Type }

// output is the schema of the values that an endpoint answers.
func (w *writer) output(e *spec.Endpoint) wire.JSONSchema {
	if !e.Each {
		return w.schemas.out(e.Output)
	}
	return wire.JSONSchema{"type": "array", "items": schemaOf(w.result(e.Output))}
}

// result names the schema of a result with a row of a type, nil for none.
func (w *writer) result(row reflect.Type) string {
	name := "Result"
	if row != nil {
		name = component{typ: row}.base() + name
	}
	name, fresh := w.schemas.allot(resultOf{row}, name)
	if !fresh {
		return name
	}
	members := wire.Members{{Name: "status", Value: wire.JSONSchema{
		"type": "integer", "minimum": 200, "maximum": 499, "description": "The status of a request for the row of this item alone.",
	}}}
	if row != nil {
		members.Add("row", described(w.schemas.out(row), "The row, if the item was done."))
	}
	failed := wire.JSONSchema{"type": "object"}
	if problem.IsProblemJSON(w.api.ErrorShape) {
		failed = schemaOf("Problem")
	}
	members.Add("problem", described(failed, "The error, if the item was rejected."))
	w.schemas.named[name] = described(object(members, []any{"status"}), "The result of one of several items: its row, or its error.")
	return name
}
