package rowtext

import (
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
)

// A Field is a member of a view in CSV: one column, or one for each member of the object in it.
type Field struct {
	member string  // its name before the case of the API applies, as rules about fields know it
	name   string  // for clients
	below  []Field // of the object; nil for a column
}

// FieldsOf lists the fields of a view. Two columns with the same name are a mistake.
func FieldsOf(out reflect.Type, cased naming.Case) ([]Field, error) {
	t := naming.Indirect(out)
	if !hasMembers(t) {
		return nil, naming.Sentence("a row of CSV is a struct; %s is not one, or writes its own JSON; leave CSV out", out)
	}
	fields := fieldsWithin(t, cased, nil)
	names := headers(fields, "")
	if len(names) == 0 {
		return nil, naming.Sentence("%s has no fields, so a row of CSV has no cells; leave CSV out", out)
	}
	slices.Sort(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			return nil, naming.Sentence("%s has two columns %q in CSV; rename a member, or leave CSV out", out, names[i])
		}
	}
	return fields, nil
}

// hasMembers reports whether the JSON of a type is an object with one member for each field.
func hasMembers(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && datatype.WrittenForm(t) == datatype.FormParts
}

// fieldsWithin lists the fields of a struct. One whose type is among those around it is one column.
func fieldsWithin(t reflect.Type, cased naming.Case, around []reflect.Type) (fields []Field) {
	around = append(slices.Clip(around), t)
	for f := range naming.ShapeFields(t) {
		one := Field{member: naming.JSONName(f), name: cased.JSONName(f)}
		if inner := naming.Indirect(f.Type); hasMembers(inner) && !slices.Contains(around, inner) {
			one.below = fieldsWithin(inner, cased, around)
		}
		fields = append(fields, one)
	}
	return fields
}

// headers are the names of the columns of fields: those of objects with the names of the members around them.
func headers(fields []Field, prefix string) (names []string) {
	for _, f := range fields {
		if f.below == nil {
			names = append(names, strings.TrimPrefix(prefix+"."+f.name, "."))
			continue
		}
		names = append(names, headers(f.below, prefix+"."+f.name)...)
	}
	return names
}
