package input

import (
	"reflect"
	"slices"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// An Enumerated is a type of text, numbers or booleans whose values are few and
// known, such as a status. An input, a filter and a parameter reject every other
// value, as the rule oneof does, and the OpenAPI document lists the values. If "" or 0 is
// allowed, Enum must return it too.
type Enumerated interface {
	// Enum returns every allowed value. It is called on the type's zero value.
	Enum() []any
}

// isEnumerated reports whether a type, which is no pointer, lists its values.
func isEnumerated(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[Enumerated]()) && KindSchema(t.Kind()) != nil
}

// EnumValues returns the values of an [Enumerated] type, or nil for any other type. It
// returns an error if Enum returns a value of another type.
func EnumValues(t reflect.Type) ([]reflect.Value, error) {
	if !isEnumerated(t) {
		return nil, nil
	}
	listed := reflect.New(t).Interface().(Enumerated).Enum() //nolint:forcetypeassert // isEnumerated checked it
	values := make([]reflect.Value, len(listed))
	for i, one := range listed {
		v := reflect.ValueOf(one)
		if !v.IsValid() || !convertible(v.Type(), t) {
			return nil, naming.Sentence("%s.Enum returns %#v, which is no %s", t, one, t)
		}
		values[i] = v.Convert(t)
	}
	if len(values) == 0 {
		return nil, naming.Sentence("%s.Enum returns nothing, so there is no value", t)
	}
	return values, nil
}

// convertible reports whether values of one type are values of another by conversion
// alone: a number never becomes text.
func convertible(from, to reflect.Type) bool {
	return from == to || from.Kind() == to.Kind() || naming.IsInteger(from.Kind()) && naming.IsInteger(to.Kind())
}

// isAmong reports whether v is one of the values; any is where none are listed.
func isAmong(v reflect.Value, values []reflect.Value) bool {
	return values == nil || slices.ContainsFunc(values, func(one reflect.Value) bool { return one.Equal(v) })
}

// LeavesNone reports whether an absent field would be a value that its type
// does not have.
func (f *Field) LeavesNone() bool {
	p := f.Value
	return p.Values != nil && !p.pointer && !f.Required && !f.HasDef && !isAmong(reflect.Zero(p.Typ), p.Values)
}

// noneOf returns the sentence to a client whose value is not one of some words. Only for a
// text it suggests the nearest word, because numbers are not misspelt.
func noneOf(v reflect.Value, words []string) string {
	if v.Kind() == reflect.String {
		return problem.OneOf(words, v.String())
	}
	return naming.ListWords(words)
}
