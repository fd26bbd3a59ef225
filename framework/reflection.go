package framework

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// noField says that a model has no such Go field, and which comes nearest.
func noField(place, name string, table *schema.Table, model string) error {
	known := relationNames(table)
	for _, f := range table.Fields {
		known = append(known, f.GoName)
	}
	return naming.Sentence("%s: no field %q in %s%s", place, name, model, naming.DidYouMean(name, known))
}

// twoTypes says that a shape's field differs from the model's.
func twoTypes(shape reflect.Type, name string, t reflect.Type, column *schema.Field) error {
	model := column.Table.Type.Name()
	return naming.Sentence("%s.%s is %s, but %s.%s is %s; give both one type", shape.Name(), name, t, model, name, column.StructField.Type)
}

func relationNames(table *schema.Table) []string {
	names := make([]string, 0, len(table.Relations))
	for name := range table.Relations {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// columnOf finds a model's column by its Go field name.
func columnOf(table *schema.Table, goName string) *schema.Field {
	for _, f := range table.Fields {
		if f.GoName == goName {
			return f
		}
	}
	return nil
}

// nilModel is a typed nil pointer, which names a model to bun without a row.
func nilModel(t reflect.Type) any { return reflect.Zero(reflect.PointerTo(t)).Interface() }
