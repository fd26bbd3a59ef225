// Package bunmodel finds columns and relations in what bun knows of a model.
package bunmodel

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// NoField is the error that a model lacks a Go field. It suggests the nearest name.
func NoField(place, name string, table *schema.Table, model string) error {
	known := RelationNames(table)
	for _, f := range table.Fields {
		known = append(known, f.GoName)
	}
	return naming.Sentence("%s: no field %q in %s%s", place, name, model, naming.DidYouMean(name, known))
}

// TwoTypes is the error that a field of an input or view has another type than the column of a model.
func TwoTypes(shape reflect.Type, name string, t reflect.Type, model string, column *schema.Field) error {
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

// ColumnOf finds a model's column by its Go field name. It returns nil if the model has no such
// column.
func ColumnOf(table *schema.Table, goName string) *schema.Field {
	for _, f := range table.Fields {
		if f.GoName == goName {
			return f
		}
	}
	return nil
}

// TimeColumn returns the column of a timestamp that the framework sets, by the name of its
// field; nil if the model has no such field of type [time.Time] or *time.Time.
func TimeColumn(table *schema.Table, goName string) *schema.Field {
	if f := ColumnOf(table, goName); f != nil && f.IndirectType == naming.TimeType {
		return f
	}
	return nil
}

// NilModel is a nil pointer to a model: bun reads the model of a query from its type.
func NilModel(t reflect.Type) any { return reflect.Zero(reflect.PointerTo(t)).Interface() }
