package openapi

import (
	"slices"
	"strings"

	"trestle.example/framework/internal/wire"
)

// Describe returns the summary of an operation of a document, its parameters except those of the
// path, and the JSON Schema of its body, with references replaced ([mostInlined]). It leaves out
// what the operation does not have; the result is empty for an unknown operation.
func Describe(root wire.Members, path, method string) wire.Members {
	operation := root.At("paths").At(path).At(strings.ToLower(method))
	described := wire.Members{}
	if summary := operation.Member("summary"); summary != nil {
		described.Add("summary", summary)
	}
	parameters, _ := operation.Member("parameters").([]any)
	parameters = slices.DeleteFunc(slices.Clone(parameters), func(one any) bool {
		parameter, _ := one.(wire.Members)
		return parameter.Member("in") == "path"
	})
	if len(parameters) > 0 {
		described.Add("parameters", inlined(root, parameters, mostInlined))
	}
	if body := operation.At("requestBody"); body != nil {
		schema := body.At("content").At("application/json").Member("schema")
		described.Add("body", inlined(root, schema, mostInlined))
	}
	return described
}

// MarkReadOnly marks fields of the body of a description of [Describe] as readOnly. member is the
// member of the body that has the fields, "" for the body itself.
func MarkReadOnly(described wire.Members, member string, fields []string) wire.Members {
	path := []string{"body", "properties"}
	if member != "" {
		path = append(path, member, "properties")
	}
	for _, field := range fields {
		described = marked(described, append(path, field))
	}
	return described
}

// marked returns an object in which the object at a path is readOnly.
func marked(object wire.Members, path []string) wire.Members {
	if len(path) == 0 {
		return object.With(wire.Members{{Name: "readOnly", Value: true}})
	}
	object = slices.Clone(object)
	for i, one := range object {
		if inner, isObject := one.Value.(wire.Members); isObject && one.Name == path[0] {
			object[i].Value = marked(inner, path[1:])
		}
	}
	return object
}

// mostInlined is the depth to which references are replaced. Deeper references stay, so that a
// schema which refers to itself has an end.
const mostInlined = 16

// inlined returns a part of the document in which each reference is replaced by its target,
// together with the members beside the reference. References deeper than depth stay.
func inlined(root wire.Members, value any, depth int) any {
	switch value := value.(type) {
	case []any:
		all := make([]any, len(value))
		for i, one := range value {
			all[i] = inlined(root, one, depth)
		}
		return all
	case wire.Members:
		all := wire.Members{}
		for _, one := range value {
			if one.Name != "$ref" || depth == 0 {
				all.Add(one.Name, inlined(root, one.Value, depth))
			}
		}
		if to, refers := value.Member("$ref").(string); refers && depth > 0 {
			found, _ := inlined(root, root.Find(to), depth-1).(wire.Members)
			return found.With(all)
		}
		return all
	}
	return value
}
