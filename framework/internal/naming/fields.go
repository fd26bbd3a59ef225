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

// HasOption reports whether a field's tag json has an option after the name.
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

// Element is the type of a value without pointers, slices and arrays around it.
func Element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

// Quote returns a name as a quoted SQL identifier.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// ShapeFields yields the fields of a struct that JSON contains, those of embedded structs
// included, with their index from the outer struct. Of several fields with one name it yields
// the one that encoding/json writes: the outermost, then the one with the name in its tag. If
// several are left, it yields none of them.
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

// flatFields returns the exported fields of a struct and of its embedded structs, without those
// with the tag "-".
func flatFields(t reflect.Type, at []int) (all []reflect.StructField) {
	for f := range t.Fields() {
		f.Index = slices.Concat(at, f.Index)
		switch {
		case f.Tag.Get("json") == "-", EmbedsPointer(f): // registration rejects an embedded pointer
		case f.Anonymous && f.Type.Kind() == reflect.Struct && taggedName(f) == "":
			all = append(all, flatFields(f.Type, f.Index)...)
		case f.IsExported():
			all = append(all, f)
		}
	}
	return all
}

// EmbedsPointer reports whether a field embeds a pointer to a struct without a name in its tag.
// JSON has the fields of this struct only if the pointer is not nil.
func EmbedsPointer(f reflect.StructField) bool {
	return f.Anonymous && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct && taggedName(f) == ""
}

// isWritten reports whether a field has precedence over all others with its name.
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
