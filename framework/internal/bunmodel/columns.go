// Package bunmodel finds columns and relations in what bun knows of a model.
package bunmodel

import (
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// NoField is the error that a model lacks a Go field. It suggests the nearest name.
func NoField(place, name string, table *schema.Table, model string) error {
	known := RelationNames(table)
	for _, f := range table.Fields {
		if known = append(known, f.GoName); ColumnOf(table, f.GoName) != f {
			known[len(known)-1] = nameOf(table, f)
		}
	}
	if several := fieldsNamed(table, name, isSame); len(several) > 1 {
		return naming.Sentence("%s: several fields of %s have the name %q: %s; name one of them", place, model, name, joinNames(several, ", ", func(f *schema.Field) string { return nameOf(table, f) }))
	}
	return naming.Sentence("%s: no field %q in %s%s", place, name, model, naming.DidYouMean(name, known))
}

// TwoTypes is the error that a field of an input or view has another type than the column of a model. A column of models without a type
// is a relation whose tag is missing.
func TwoTypes(shape reflect.Type, name string, t reflect.Type, model string, column *schema.Field) error {
	if isModel(column.IndirectType) && !column.Tag.HasOption("type") {
		return naming.Sentence("%s.%s has no rel in its tag, so bun takes it for a column; if it is a relation, tag it, such as `bun:\"rel:belongs-to\"` or `bun:\"rel:has-many\"`", model, name)
	}
	return naming.Sentence("%s.%s is %s, but %s.%s is %s; give both one type", shape.Name(), name, t, model, name, column.StructField.Type)
}

// isModel reports whether a type is a model of bun, or a list of such models.
func isModel(t reflect.Type) bool {
	if t.Kind() == reflect.Slice {
		t = naming.Indirect(t.Elem())
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	f, has := t.FieldByName("BaseModel")
	return has && f.Type == reflect.TypeFor[schema.BaseModel]()
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

// ColumnOf finds a model's column by its Go field name. If several columns have the name, it means the field that
// Go promotes. A column of a field that is a struct with a prefix, such as To in "To Leg `bun:"embed:to_"`", also has both
// names, ToPort. ColumnOf returns nil if the model has no such column, or several and Go promotes none.
func ColumnOf(table *schema.Table, goName string) *schema.Field {
	found := fieldsNamed(table, goName, isSame)
	if len(found) == 1 {
		return found[0]
	}
	promoted, _ := table.Type.FieldByName(goName)
	for _, f := range found {
		if slices.Equal(f.Index, promoted.Index) {
			return f
		}
	}
	for _, f := range table.Fields {
		if f.GoName != goName && len(f.Index) > 1 && nameOf(table, f) == goName {
			return f
		}
	}
	return nil
}

// PathOf is the Go name of a column behind those of the structs that it is in, as Go code has them: "Place.City".
// It leaves out embedded structs.
func PathOf(table *schema.Table, column *schema.Field) string {
	var names []string
	t := table.Type
	for _, i := range column.Index {
		f := naming.Indirect(t).Field(i)
		if !f.Anonymous {
			names = append(names, f.Name)
		}
		t = f.Type
	}
	return strings.Join(names, ".")
}

// nameOf is the Go name of a column in inputs and views if another column has the same: "PlaceCity".
func nameOf(table *schema.Table, column *schema.Field) string {
	return strings.ReplaceAll(PathOf(table, column), ".", "")
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

// Named finds a column of a table by its name or, with the same words, by its Go field. If several columns have the Go field, the
// error lists them. Without a column, it returns nil.
func Named(table *schema.Table, name string) (*schema.Field, error) {
	for _, f := range table.Fields {
		if f.Name == name || naming.SameWords(nameOf(table, f), name) {
			return f, nil
		}
	}
	found := fieldsNamed(table, name, naming.SameWords)
	switch len(found) {
	case 0:
		return nil, nil //nolint:nilnil // the caller says what else the name may mean
	case 1:
		return found[0], nil
	}
	either := joinNames(found, " or ", func(f *schema.Field) string { return f.Name })
	return nil, naming.Sentence("%q in %s may be %s; name one of them", name, table.Type.Name(), either)
}

// fieldsNamed lists the columns of a table whose Go name matches a name.
func fieldsNamed(table *schema.Table, name string, matches func(goName, name string) bool) (found []*schema.Field) {
	for _, f := range table.Fields {
		if matches(f.GoName, name) {
			found = append(found, f)
		}
	}
	return found
}

func isSame(goName, name string) bool { return goName == name }

// joinNames joins the names of columns.
func joinNames(columns []*schema.Field, between string, nameOf func(*schema.Field) string) string {
	names := make([]string, len(columns))
	for i, f := range columns {
		names[i] = nameOf(f)
	}
	return strings.Join(names, between)
}
