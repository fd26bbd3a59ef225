package framework

import (
	"maps"
	"reflect"
	"slices"
)

// A OneRequirer is an input type that needs one of several fields, such as an e-mail
// address or a user name. If none of them has a value, the first has the fault
// "required"; blank text counts as no value. The OpenAPI document says it as a choice of
// one schema for each field.
type OneRequirer interface {
	// OneRequired returns the names of the fields in JSON, two or more. It is called on
	// the type's zero value.
	OneRequired() []string
}

// checked runs what an input type checks over several fields: that one of the required
// fields has a value, then its own Check. v is addressable and of the shape's type.
func (s *inputShape) checked(v reflect.Value) []Fault {
	if len(s.oneOf) > 0 && !slices.ContainsFunc(s.oneOf, func(f *inputField) bool { return !f.in(v).IsZero() }) {
		return []Fault{{Pointer: "/" + s.oneOf[0].name, Code: "required", Detail: "is required"}}
	}
	if !s.checker {
		return nil
	}
	return v.Addr().Interface().(Checker).Check()
}

// oneRequired finds the fields of which a shape needs one.
func (c *inputCompiler) oneRequired(s *inputShape, name string) {
	requirer, ok := reflect.TypeAssert[OneRequirer](reflect.New(s.typ))
	if !ok {
		return
	}
	names := requirer.OneRequired()
	if len(names) < 2 {
		c.mistakef(name, "OneRequired returns %d names; it needs two or more", len(names))
	}
	for _, one := range names {
		f := s.byName[one]
		switch {
		case f == nil:
			c.mistakef(name, "OneRequired names %q, which is no field%s", one, didYouMean(one, s.names()))
		case f.required || f.hasDef:
			c.mistakef(f.place, "always has a value, so OneRequired must not name it")
		default:
			s.oneOf = append(s.oneOf, f)
		}
	}
}

// A choiceOf is the schema of a component in which one field has a value.
type choiceOf struct {
	component

	field string
}

// choice is the schema of a shape that needs one of several fields: one schema for each
// of them, named by the field. Exactly one must be right, because generators read oneOf
// and not anyOf; so each excludes the fields before its own.
func (s *schemas) choice(c component, shape *inputShape, whole jsonSchema) jsonSchema {
	choices := make([]any, len(shape.oneOf))
	for i, f := range shape.oneOf {
		name, _ := s.allot(choiceOf{c, f.name}, title(f.name)+c.base())
		one := s.withOne(shape, f, whole)
		if i > 0 {
			one["not"] = s.anyFilled(shape.oneOf[:i])
		}
		s.named[name] = one
		choices[i] = schemaOf(name)
	}
	return jsonSchema{"oneOf": choices}
}

// withOne is the schema of a shape that has one of the fields of which one is needed,
// and not the others.
func (s *schemas) withOne(shape *inputShape, f *inputField, whole jsonSchema) jsonSchema {
	one := maps.Clone(whole)
	properties, _ := whole["properties"].(members)
	kept := members{}
	for _, p := range properties {
		switch {
		case p.name == f.name:
			kept.add(f.name, s.explained(f, s.present(f), false))
		case !slices.ContainsFunc(shape.oneOf, func(other *inputField) bool { return other.name == p.name }):
			kept.add(p.name, p.value)
		}
	}
	required, _ := whole["required"].([]any)
	one["properties"], one["required"] = kept, append([]any{f.name}, required...)
	return one
}

// present is the schema of a field that has a value.
func (s *schemas) present(f *inputField) jsonSchema {
	plan := f.value
	if plan.optional {
		plan = plan.elem
	}
	given := *plan
	given.required, given.nullable = true, false
	return s.value(&given, false)
}

// anyFilled is the schema of objects in which one of the fields has a value.
func (s *schemas) anyFilled(fields []*inputField) jsonSchema {
	all := make([]any, len(fields))
	for i, f := range fields {
		all[i] = object(members{{f.name, s.present(f)}}, []any{f.name})
	}
	if len(all) == 1 {
		return all[0].(jsonSchema) //nolint:forcetypeassert // all of them are
	}
	return jsonSchema{"anyOf": all}
}
