package input

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// A Reference is a key in a body that names a row of a viewset, its own viewset included.
type Reference struct {
	Pointer string
	Target  string // the viewset's path
	Key     any
	Owning  bool // the scope goes through this field, so it decides who owns the row
}

// ListsKeys reports whether the field, which has the tag ref, is a list of keys.
func (f *Field) ListsKeys() bool {
	t := f.Value.Typ
	return t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
}

// KeyType is the type of the keys of the field, which has the tag ref.
func (f *Field) KeyType() reflect.Type {
	if f.ListsKeys() {
		return f.Value.Typ.Elem()
	}
	return f.Value.Typ
}

// Refer appends the references in v, the value of a field, to list. It appends nothing for null.
func (f *Field) Refer(list []Reference, v reflect.Value, at string) []Reference {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return list
		}
		v = v.Elem()
	}
	if f.ListsKeys() {
		for i := range v.Len() {
			list = append(list, Reference{Pointer: at + "/" + strconv.Itoa(i), Target: f.Ref, Key: v.Index(i).Interface()})
		}
		return list
	}
	return append(list, Reference{Pointer: at, Target: f.Ref, Key: v.Interface()})
}

// NestedReferences appends the references in the nested objects of a field of the body to list. In
// nested objects it ignores zero keys, because a field that is absent from the body is zero, unless
// the field is required.
func (f *Field) NestedReferences(list []Reference, v reflect.Value, at string) []Reference {
	return f.nestedReferences(list, v, at, true)
}

// nestedReferences is NestedReferences for a value that the body has or, without read, may lack. An
// item of a list or a map, and an object behind a pointer, are in the body.
func (f *Field) nestedReferences(list []Reference, v reflect.Value, at string, read bool) []Reference {
	read = read || v.Kind() != reflect.Struct
	f.eachObject(v, at, func(object reflect.Value, at string) { list = f.Nested.references(list, object, at, read) })
	return list
}

// EachObject calls visit for each object in the value of a nested field: for one object, for those of a
// list in order, and for those of a map by name. in is the object that contains the field, and at its pointer.
func (f *Field) EachObject(in reflect.Value, at string, visit func(object reflect.Value, at string)) {
	f.eachObject(f.Given(in.FieldByIndex(f.Index)), at+naming.PointerTo(f.Name), visit)
}

func (f *Field) eachObject(v reflect.Value, at string, visit func(object reflect.Value, at string)) {
	if f.Nested == nil {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.eachObject(v.Elem(), at, visit)
		}
	case reflect.Struct:
		visit(v, at)
	case reflect.Slice:
		for i := range v.Len() {
			f.eachObject(v.Index(i), at+"/"+strconv.Itoa(i), visit)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			f.eachObject(v.MapIndex(key), at+naming.PointerTo(key.String()), visit)
		}
	}
}

// Refers reports whether the field is a reference, or has one at any depth.
func (f *Field) Refers() bool { return f.Ref != "" || f.Nested != nil && f.Nested.hasRefs }

// references appends the references of an object, which the body has if read is set.
func (s *Shape) references(list []Reference, v reflect.Value, at string, read bool) []Reference {
	for _, f := range s.Fields {
		if !f.Refers() {
			continue
		}
		value, pointer := f.Given(v.FieldByIndex(f.Index)), at+naming.PointerTo(f.Name)
		if f.Ref != "" && (read && f.Required || !value.IsZero()) {
			list = f.Refer(list, value, pointer)
		}
		list = f.nestedReferences(list, value, pointer, false)
	}
	return list
}

// Refs lists every field of the shape that is a reference, at any depth.
func (s *Shape) Refs() []*Field {
	var list []*Field
	for _, f := range s.Fields {
		if f.Ref != "" {
			list = append(list, f)
		}
		if f.Nested != nil {
			list = append(list, f.Nested.Refs()...)
		}
	}
	return list
}

// Setting lists every field of the shape that has the tag to, at any depth.
func (s *Shape) Setting() []*Field {
	var list []*Field
	for _, f := range s.Fields {
		if f.To != "" {
			list = append(list, f)
		}
		if f.Nested != nil {
			list = append(list, f.Nested.Setting()...)
		}
	}
	return list
}

// Unread reports whether the body has no valid value for the reference: a fault is at its pointer or,
// for the key of an object that could not be read, above it.
func (ref Reference) Unread(faults []problem.Fault) bool {
	zero := reflect.ValueOf(ref.Key).IsZero()
	return slices.ContainsFunc(faults, func(f problem.Fault) bool {
		return f.Pointer == ref.Pointer || zero && strings.HasPrefix(ref.Pointer, f.Pointer+"/")
	})
}

// Faulty reports whether any fault is at the pointer.
func Faulty(faults []problem.Fault, pointer string) bool {
	return slices.ContainsFunc(faults, func(f problem.Fault) bool { return f.Pointer == pointer })
}
