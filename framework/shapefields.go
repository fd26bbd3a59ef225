package framework

import (
	"iter"
	"reflect"
	"slices"
)

// shapeFields yields the fields of a shape that JSON has, those of embedded
// structs included, with their index from the top. Of several with one name it
// is the one that encoding/json writes: the outermost, then the one whose tag
// says so, and none where that is not one.
func shapeFields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		all := flatFields(t, nil)
		for _, f := range all {
			if isWritten(f, all) && !yield(f) {
				return
			}
		}
	}
}

// flatFields are the fields of a struct and of those that it embeds.
func flatFields(t reflect.Type, at []int) (all []reflect.StructField) {
	for f := range t.Fields() {
		f.Index = slices.Concat(at, f.Index)
		switch {
		case f.Tag.Get("json") == "-", embedsPointer(f): // which registration refuses
		case f.Anonymous && f.Type.Kind() == reflect.Struct && taggedName(f) == "":
			all = append(all, flatFields(f.Type, f.Index)...)
		case f.IsExported():
			all = append(all, f)
		}
	}
	return all
}

// embedsPointer reports whether a field would be flattened, and be left out
// where it is nil.
func embedsPointer(f reflect.StructField) bool {
	return f.Anonymous && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct && taggedName(f) == ""
}

// isWritten reports whether a field goes before the others of its name.
func isWritten(f reflect.StructField, all []reflect.StructField) bool {
	return !slices.ContainsFunc(all, func(other reflect.StructField) bool {
		if jsonName(other) != jsonName(f) || slices.Equal(other.Index, f.Index) {
			return false
		}
		if len(other.Index) != len(f.Index) {
			return len(other.Index) < len(f.Index)
		}
		return taggedName(other) != "" || taggedName(f) == ""
	})
}

// checkShown reports what a shape holds that no schema can tell of, at any
// depth.
func checkShown(t reflect.Type, known map[reflect.Type]bool, fault func(error)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if known[t] || t.Kind() != reflect.Struct || writtenForm(t) != formParts {
		return
	}
	known[t] = true
	for f := range t.Fields() {
		switch {
		case f.Tag.Get("json") == "-":
		case embedsPointer(f):
			fault(sentence("%s.%s: embed the struct itself, not a pointer to it, whose members would be left out where it is nil; or give it a json name", shortName(t, "the answer"), f.Name))
		case f.IsExported(), f.Anonymous:
			checkShown(f.Type, known, fault)
		}
	}
}
