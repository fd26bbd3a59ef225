package input

import (
	"reflect"
	"strings"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
)

// An Optional is a field of an input that distinguishes absent from every value, also in a
// nested object, where [Call.Has] does not work. With a pointer or any JSON (json.RawMessage)
// as T it accepts null too. The rules of its tag judge a value that is present. It has no default
// and cannot be required.
//
//	Price framework.Optional[int64]   `json:"price" validate:"min=1"`  // absent or a number
//	SKU   framework.Optional[string]  `json:"sku" validate:"filled"`   // absent or text that is not blank
//	Brand framework.Optional[*string] `json:"brand" validate:"max=80"` // absent, null or text
//
// It is for functions ([Does], [Changes], [Fills] and actions): no column has
// this type.
type Optional[T any] struct {
	Given bool // the body named the field
	Value T
}

// Or returns the value, or other if Given is false.
func (o Optional[T]) Or(other T) T {
	if o.Given {
		return o.Value
	}
	return other
}

// isOptional reports whether a type is an Optional. A type that embeds an Optional is not.
func isOptional(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[Optional[int]]().PkgPath() && strings.HasPrefix(t.Name(), "Optional[")
}

// OptionalValue returns the type of the value of an Optional, by the type of the Optional.
func OptionalValue(t reflect.Type) reflect.Type { return t.Field(1).Type }

// Given returns the value inside v if the field is an Optional, which is zero if it is absent. For
// any other field it returns v, the value of the field.
func (f *Field) Given(v reflect.Value) reflect.Value {
	if f.Value.Optional {
		return v.Field(1)
	}
	return v
}

// optional returns the plan of an Optional, or nil after a mistake.
func (c *inputCompiler) optional(t reflect.Type, spec *rule.Spec, trim bool, place string) *ValuePlan {
	inner := OptionalValue(t)
	switch {
	case spec.Required:
		c.mistakef(place, "an Optional may be absent, so it cannot be required; use %s itself", inner)
		return nil
	case inner.Kind() == reflect.Struct && inner != naming.TimeType && !datatype.ReadsItself(inner):
		c.mistakef(place, "an Optional holds a plain value, a slice or a pointer; use a pointer to %s", inner)
		return nil
	}
	value := c.plan(inner, spec, trim, place)
	if value == nil {
		return nil
	}
	return &ValuePlan{Typ: t, Optional: true, Nullable: value.Nullable, Rules: value.Rules, limit: -1, Elem: value}
}
