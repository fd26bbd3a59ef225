package openapi

import (
	"maps"
	"slices"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// A choiceOf is the schema of a component in which one field has a value.
type choiceOf struct {
	component

	field string
}

// choice returns the schema of a shape that needs at least one of several fields: one schema for
// each of them, named by the field. Generators read oneOf and not anyOf, so each schema excludes
// the fields before its own: the first field in a body decides which schema matches.
func (s *schemas) choice(c component, shape *input.Shape, whole wire.JSONSchema) wire.JSONSchema {
	choices := make([]any, len(shape.OneOf))
	for i, f := range shape.OneOf {
		name, _ := s.allot(choiceOf{c, f.Name}, naming.Title(f.Name)+c.base())
		one := s.withOne(shape, f, whole)
		if i > 0 {
			one["not"] = s.anyFilled(shape.OneOf[:i])
		}
		s.named[name] = one
		choices[i] = schemaOf(name)
	}
	return wire.JSONSchema{"oneOf": choices}
}

// withOne returns the schema of a shape that requires one of its fields: the variant that
// requires the field f. dependentSchemas describes the other fields of OneOf, because generators
// recognize a variant by a property that the other variants lack.
func (s *schemas) withOne(shape *input.Shape, f *input.Field, whole wire.JSONSchema) wire.JSONSchema {
	one := maps.Clone(whole)
	properties, _ := whole["properties"].(wire.Members)
	kept, others := wire.Members{}, wire.Members{}
	for _, p := range properties {
		switch {
		case p.Name == f.Name:
			kept.Add(f.Name, s.explained(f, s.present(f), false))
		case slices.ContainsFunc(shape.OneOf, func(other *input.Field) bool { return other.Name == p.Name }):
			others.Add(p.Name, object(wire.Members{p}, nil))
		default:
			kept.Add(p.Name, p.Value)
		}
	}
	one["dependentSchemas"] = others
	if closed, ok := one["additionalProperties"]; ok { // would reject the fields of dependentSchemas
		delete(one, "additionalProperties")
		one["unevaluatedProperties"] = closed
	}
	required, _ := whole["required"].([]any)
	one["properties"], one["required"] = kept, append([]any{f.Name}, required...)
	return one
}

// present returns the schema of a field that has a value: it is neither null nor blank.
func (s *schemas) present(f *input.Field) wire.JSONSchema {
	plan := f.Value
	if plan.Optional {
		plan = plan.Elem
	}
	given := *plan
	given.Required, given.Nullable = true, false
	return s.value(&given, false)
}

// anyFilled returns the schema of objects in which at least one of the fields has a value.
func (s *schemas) anyFilled(fields []*input.Field) wire.JSONSchema {
	all := make([]any, len(fields))
	for i, f := range fields {
		all[i] = object(wire.Members{{Name: f.Name, Value: s.present(f)}}, []any{f.Name})
	}
	if len(all) == 1 {
		return all[0].(wire.JSONSchema) //nolint:forcetypeassert // all of them are
	}
	return wire.JSONSchema{"anyOf": all}
}
