package bind

import (
	"reflect"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
)

// checkShown reports each embedded pointer to a struct in the type of an answer, at any depth,
// unless it has a JSON name. A schema cannot describe its members, because JSON leaves them out
// where the pointer is nil. Fields that JSON leaves out, and types that write their own JSON,
// are not checked. Each struct type is checked once; known remembers which.
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
