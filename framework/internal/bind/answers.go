package bind

import (
	"reflect"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
)

// checkShown reports what a shape holds that no schema can tell of, at any
// depth.
func checkShown(t reflect.Type, known map[reflect.Type]bool, fault func(error)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if known[t] || t.Kind() != reflect.Struct || datatype.WrittenForm(t) != datatype.FormParts {
		return
	}
	known[t] = true
	for f := range t.Fields() {
		switch {
		case f.Tag.Get("json") == "-":
		case naming.EmbedsPointer(f):
			fault(naming.Sentence("%s.%s: embed the struct itself, not a pointer to it, whose members would be left out where it is nil; or give it a json name", naming.ShortName(t, "the answer"), f.Name))
		case f.IsExported(), f.Anonymous:
			checkShown(f.Type, known, fault)
		}
	}
}
