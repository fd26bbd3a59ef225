package framework

import (
	"reflect"
	"slices"
	"strings"
)

// An Enumerated is a type of text, numbers or booleans whose values are few and
// known, such as a status. An input, a filter and a parameter refuse every other
// value, as the rule oneof does, and the reference lists them. No value is
// missing by itself: where "" or 0 is to be one, Enum returns it too.
type Enumerated interface {
	// Enum returns every value that there is. It is asked of the type's zero
	// value.
	Enum() []any
}

// isEnumerated reports whether a type, which is no pointer, lists its values.
func isEnumerated(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[Enumerated]()) && kindSchema(t.Kind()) != nil
}

// enumValues are the values of an [Enumerated] type, nil for any other. A value
// that Enum returns and that is none of the type is an error.
func enumValues(t reflect.Type) ([]reflect.Value, error) {
	if !isEnumerated(t) {
		return nil, nil
	}
	listed := reflect.New(t).Interface().(Enumerated).Enum() //nolint:forcetypeassert // it was asked
	values := make([]reflect.Value, len(listed))
	for i, one := range listed {
		v := reflect.ValueOf(one)
		if !v.IsValid() || !alike(v.Type(), t) {
			return nil, sentence("%s.Enum returns %#v, which is no %s", t, one, t)
		}
		values[i] = v.Convert(t)
	}
	if len(values) == 0 {
		return nil, sentence("%s.Enum returns nothing, so there is no value", t)
	}
	return values, nil
}

// alike reports whether values of one type are values of another by conversion
// alone: a number never becomes text.
func alike(from, to reflect.Type) bool {
	return from == to || from.Kind() == to.Kind() || isInteger(from.Kind()) && isInteger(to.Kind())
}

// isAmong reports whether v is one of the values; any is where none are listed.
func isAmong(v reflect.Value, values []reflect.Value) bool {
	return values == nil || slices.ContainsFunc(values, func(one reflect.Value) bool { return one.Equal(v) })
}

// leavesNone reports whether an absent field would be a value that its type
// does not have.
func (f *inputField) leavesNone() bool {
	p := f.value
	return p.values != nil && !p.pointer && !f.required && !f.hasDef && !isAmong(reflect.Zero(p.typ), p.values)
}

// OneOf is the sentence to a client whose text is none of some words: which there
// are, and the nearest.
func OneOf(known []string, text string) string {
	return listWords(known) + suggestion(nearest(text, known))
}

// noneOf is the sentence to a client whose value is none of some words: OneOf of a
// text, for numbers are not misspelt.
func noneOf(v reflect.Value, words []string) string {
	if v.Kind() == reflect.String {
		return OneOf(words, v.String())
	}
	return listWords(words)
}

// listWords says which values there are, to a client that sent another.
func listWords(words []string) string { return "must be one of " + strings.Join(words, ", ") }
