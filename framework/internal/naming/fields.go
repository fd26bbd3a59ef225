package naming

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// IsInteger reports whether a kind is a whole number, with or without a sign. Uintptr is not.
func IsInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }

// ShortName is a type's own name, or other for a type without one.
func ShortName(t reflect.Type, other string) string { return cmp.Or(t.Name(), other) }

// The types of the standard library and of uuid that have a form of their own.
var (
	TimeType = reflect.TypeFor[time.Time]()
	UUIDType = reflect.TypeFor[uuid.UUID]()
)

// JSONName is the client's name of a field: the name in its tag json, else its Go name. The
// tag "-" gives "-".
func JSONName(f reflect.StructField) string {
	return cmp.Or(taggedName(f), f.Name)
}

// taggedName is the name that a field's tag gives it, "" for none.
func taggedName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// HasOption reports whether a field's tag has an option behind the name.
func HasOption(f reflect.StructField, option string) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return slices.Contains(strings.Split(options, ","), option)
}

// Indirect returns the element of a pointer type, and any other type itself. It removes one
// pointer only.
func Indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// Quote makes an SQL identifier of a name of the program.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// ShapeFields yields the fields of a shape that JSON has, those of embedded
// structs included, with their index from the top. Of several with one name it
// is the one that encoding/json writes: the outermost, then the one that a tag names. If
// several are left, none is yielded.
func ShapeFields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		all := flatFields(t, nil)
		for _, f := range all {
			if isWritten(f, all) && !yield(f) {
				return
			}
		}
	}
}

// flatFields returns the fields of a struct and of its embedded structs.
func flatFields(t reflect.Type, at []int) (all []reflect.StructField) {
	for f := range t.Fields() {
		f.Index = slices.Concat(at, f.Index)
		switch {
		case f.Tag.Get("json") == "-", EmbedsPointer(f): // which registration rejects
		case f.Anonymous && f.Type.Kind() == reflect.Struct && taggedName(f) == "":
			all = append(all, flatFields(f.Type, f.Index)...)
		case f.IsExported():
			all = append(all, f)
		}
	}
	return all
}

// EmbedsPointer reports whether a field would be flattened, and be left out
// where it is nil.
func EmbedsPointer(f reflect.StructField) bool {
	return f.Anonymous && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct && taggedName(f) == ""
}

// isWritten reports whether a field goes before the others of its name.
func isWritten(f reflect.StructField, all []reflect.StructField) bool {
	return !slices.ContainsFunc(all, func(other reflect.StructField) bool {
		if JSONName(other) != JSONName(f) || slices.Equal(other.Index, f.Index) {
			return false
		}
		if len(other.Index) != len(f.Index) {
			return len(other.Index) < len(f.Index)
		}
		return taggedName(other) != "" || taggedName(f) == ""
	})
}
