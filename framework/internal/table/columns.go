package table

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/naming"
)

// NoField says that a model has no such Go field, and which comes nearest.
func NoField(place, name string, table *schema.Table, model string) error {
	known := RelationNames(table)
	for _, f := range table.Fields {
		known = append(known, f.GoName)
	}
	return naming.Sentence("%s: no field %q in %s%s", place, name, model, naming.DidYouMean(name, known))
}

// TwoTypes says that a shape's field differs from the model's.
func TwoTypes(shape reflect.Type, name string, t reflect.Type, column *schema.Field) error {
	model := column.Table.Type.Name()
	return naming.Sentence("%s.%s is %s, but %s.%s is %s; give both one type", shape.Name(), name, t, model, name, column.StructField.Type)
}

// RelationNames lists the relations of a model, sorted.
func RelationNames(table *schema.Table) []string {
	names := make([]string, 0, len(table.Relations))
	for name := range table.Relations {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ColumnOf finds a model's column by its Go field name.
func ColumnOf(table *schema.Table, goName string) *schema.Field {
	for _, f := range table.Fields {
		if f.GoName == goName {
			return f
		}
	}
	return nil
}

// NilModel is a typed nil pointer, which names a model to bun without a row.
func NilModel(t reflect.Type) any { return reflect.Zero(reflect.PointerTo(t)).Interface() }
