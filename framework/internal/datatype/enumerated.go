package datatype

import (
	"reflect"
	"slices"

	"trestle.example/framework/internal/naming"
)

// An Enumerated is a type of text, numbers or booleans that lists its values, such as a
// status. An input, a filter and a parameter reject every other value, as the rule oneof
// does. The OpenAPI document lists the values. If the zero value is allowed, Enum must return it.
type Enumerated interface {
	// Enum returns every allowed value. It is called on the type's zero value.
	Enum() []any
}

// isEnumerated reports whether a type of text, numbers or booleans lists its values. The type
// is no pointer.
func isEnumerated(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[Enumerated]()) && KindSchema(t.Kind()) != nil
}

// EnumValues returns the values of an [Enumerated] type, or nil for any other type. It
// returns an error if Enum returns no value, or a value that [convert] does not convert to the
// type.
func EnumValues(t reflect.Type) ([]reflect.Value, error) {
	if !isEnumerated(t) {
		return nil, nil
	}
	listed := reflect.New(t).Interface().(Enumerated).Enum() //nolint:forcetypeassert // isEnumerated checked it
	values := make([]reflect.Value, len(listed))
	for i, one := range listed {
		value, ok := convert(reflect.ValueOf(one), t)
		if !ok {
			return nil, naming.Sentence("%s.Enum returns %#v, which is no %s", t, one, t)
		}
		values[i] = value
	}
	if len(values) == 0 {
		return nil, naming.Sentence("%s.Enum returns nothing, so there is no value", t)
	}
	return values, nil
}

// convert converts a value that Enum returned to the type t. It returns false unless both types
// have the same kind, or both are integers and t can hold the number.
func convert(v reflect.Value, t reflect.Type) (reflect.Value, bool) {
	if !v.IsValid() {
		return v, false
	}
	if v.Kind() == t.Kind() {
		return v.Convert(t), true
	}
	if !naming.IsInteger(v.Kind()) || !naming.IsInteger(t.Kind()) {
		return v, false
	}
	to := v.Convert(t)
	kept := to.Convert(v.Type()).Equal(v) && isNegative(to) == isNegative(v)
	return to, kept
}

// isNegative reports whether an integer is below 0.
func isNegative(v reflect.Value) bool { return v.CanInt() && v.Int() < 0 }

// IsAmong reports whether v is one of the values. If values is nil, every v is.
func IsAmong(v reflect.Value, values []reflect.Value) bool {
	return values == nil || slices.ContainsFunc(values, func(one reflect.Value) bool { return one.Equal(v) })
}
