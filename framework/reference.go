package framework

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A reference is a key in a body that leads to a row of another viewset.
type reference struct {
	pointer string
	target  string // the viewset's path
	key     any
	owning  bool // it decides, through the scope, whose the row is
}

// references checks every reference of the input against its target's scope
// and adds what is wrong to the faults of the body.
func (e *endpoint) references(c *Call, in *decoded) error {
	faults := slices.Clone(in.faults)
	for _, ref := range e.referencesIn(in) {
		if faulty(in.faults, ref.pointer) {
			continue
		}
		target, err := c.api.target(ref.target)
		if err != nil {
			return err
		}
		has, err := e.mayRefer(c, target.r, ref)
		if err != nil {
			return err
		}
		if !has {
			faults = append(faults, Fault{Pointer: ref.pointer, Code: CodeInvalidReference, Detail: "refers to nothing that you may use"})
		}
	}
	if len(faults) > 0 {
		return Invalid(faults...)
	}
	return nil
}

// mayRefer reports whether the caller may use a row. To see it is enough, but
// not for a row that decides whose another is: that one must be the caller's
// own where the scope looks for it, unless the scope is lifted for what is
// being done.
func (e *endpoint) mayRefer(c *Call, target *resource, ref reference) (bool, error) {
	via := e.resource.scope.via
	if ref.owning && !e.resource.scope.lifted(c) {
		if owned, err := via.owns(c, ref.key); !owned || target == via {
			return owned, err
		}
	}
	return target.has(c, ref.key)
}

// referencesIn lists the references that a body gives, those in nested values
// included.
func (e *endpoint) referencesIn(in *decoded) []reference {
	var list []reference
	for _, f := range e.input.fields {
		if !in.has(f.name) {
			continue
		}
		v, at := f.given(in.value.FieldByIndex(f.index)), pointerTo(f.name)
		if f.ref != "" {
			list = f.refer(list, v, at)
			if n := len(list); n > 0 && list[n-1].pointer == at {
				list[n-1].owning = e.owning(f)
			}
		}
		list = f.nestedReferences(list, v, at)
	}
	return list
}

// owning reports whether a field is the reference that the scope goes through.
func (e *endpoint) owning(f *inputField) bool {
	scope := e.resource.scope
	return scope.kind == scopeVia && scope.column != nil && scope.column.GoName == f.goName
}

// refer adds the reference that a field holds, none if it is null.
func (f *inputField) refer(list []reference, v reflect.Value, at string) []reference {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return list
		}
		v = v.Elem()
	}
	return append(list, reference{pointer: at, target: f.ref, key: v.Interface()})
}

// nestedReferences adds those in the objects of a field. There, what was not
// in the body is zero, which is no key.
func (f *inputField) nestedReferences(list []reference, v reflect.Value, at string) []reference {
	if f.nested == nil {
		return list
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return f.nestedReferences(list, v.Elem(), at)
		}
	case reflect.Struct:
		return f.nested.references(list, v, at)
	case reflect.Slice:
		for i := range v.Len() {
			list = f.nestedReferences(list, v.Index(i), at+"/"+strconv.Itoa(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			list = f.nestedReferences(list, v.MapIndex(key), at+pointerTo(key.String()))
		}
	}
	return list
}

func (s *inputShape) references(list []reference, v reflect.Value, at string) []reference {
	for _, f := range s.fields {
		value, pointer := f.given(v.FieldByIndex(f.index)), at+pointerTo(f.name)
		if f.ref != "" && !value.IsZero() {
			list = f.refer(list, value, pointer)
		}
		list = f.nestedReferences(list, value, pointer)
	}
	return list
}

// refs lists every field of the shape that is a reference, at any depth.
func (s *inputShape) refs() []*inputField {
	var list []*inputField
	for _, f := range s.fields {
		if f.ref != "" {
			list = append(list, f)
		}
		if f.nested != nil {
			list = append(list, f.nested.refs()...)
		}
	}
	return list
}

func faulty(faults []Fault, pointer string) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool { return f.Pointer == pointer })
}
