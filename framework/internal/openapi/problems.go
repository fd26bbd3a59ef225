package openapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// problem returns the schema of errors with a status and one of the codes: a reference for one
// code, else a choice of references by the member code. A client that can read Problem can read
// all of them. For another error shape than problem details, see ownShape.
func (w *writer) problem(status int, codes []string) wire.JSONSchema {
	if !problem.IsProblemJSON(w.api.ErrorShape) {
		return w.ownShape(status)
	}
	choices, mapping := make([]any, len(codes)), wire.Members{}
	for i, code := range codes {
		name := w.schemas.known[problemOf{code}]
		choices[i] = schemaOf(name)
		mapping.Add(code, "#/components/schemas/"+name)
	}
	if len(codes) == 1 {
		return schemaOf(w.schemas.known[problemOf{codes[0]}])
	}
	return wire.JSONSchema{"oneOf": choices, "discriminator": wire.Members{{Name: "propertyName", Value: "code"}, {Name: "mapping", Value: mapping}}}
}

// problemOfCode returns the schema of errors with one code. Status and code have a type and an
// enum of one value, because some generators drop a member with a const and no type.
func (w *writer) problemOfCode(info problem.CodeInfo) wire.JSONSchema {
	properties, required := wire.Members{
		{Name: "status", Value: wire.JSONSchema{"type": "integer", "enum": []any{info.Status}}},
		{Name: "code", Value: wire.JSONSchema{"type": "string", "enum": []any{info.Code}}},
	}, []any(nil)
	if info.Details != nil {
		properties.Add("details", w.schemas.out(reflect.TypeOf(info.Details)))
		required = alwaysThere(info)
	}
	// Many generators ignore keywords beside a reference, so there are none.
	return described(wire.JSONSchema{"allOf": []any{schemaOf("Problem"), object(properties, required)}}, info.Title+".")
}

// ownShape returns the schema of errors in the program's own shape: any object, if the shape
// declares no schema. It reports a schema that is not valid.
func (w *writer) ownShape(status int) wire.JSONSchema {
	shape := w.api.ErrorShape
	shaped, ok := shape.(problem.ShapeTeller)
	if !ok {
		return wire.JSONSchema{"type": "object"}
	}
	schema, err := readSchema(shaped.ShapeSchema(status))
	if err != nil {
		w.schemas.fault(naming.Sentence("%T.ShapeSchema(%d): %w", shape, status, err))
	}
	return schema
}

// problems adds the schemas of problem details, of their faults and of each code in use, before
// all other schemas. For another error shape, it adds nothing.
func (w *writer) problems() {
	if !problem.IsProblemJSON(w.api.ErrorShape) {
		return
	}
	text := func(doc string) wire.JSONSchema { return wire.JSONSchema{"type": "string", "description": doc} }
	// These are named first, so that their names do not depend on the declarations.
	w.schemas.allot("a fault", "Fault")
	w.schemas.allot("a problem", "Problem")
	w.schemas.named["Fault"] = object(wire.Members{
		{Name: "pointer", Value: text("A JSON Pointer (RFC 6901) into the body.")},
		{Name: "parameter", Value: text("The name of a query parameter.")},
		{Name: "code", Value: w.faultCode()},
		{Name: "detail", Value: text("One sentence for a person.")},
	}, []any{"code", "detail"})
	w.schemas.named["Problem"] = described(object(wire.Members{
		{Name: "type", Value: wire.JSONSchema{
			"type": "string", "format": "uri-reference",
			"description": "The address of a page that explains the code: " + w.api.ErrorsAt + " and the code.",
		}},
		{Name: "title", Value: text("The code in a few words.")},
		{Name: "status", Value: wire.JSONSchema{"type": "integer", "minimum": 400, "maximum": 599}},
		{Name: "detail", Value: text("One sentence for a person.")},
		{Name: "code", Value: text("Stable, for programs.")},
		{Name: "instance", Value: wire.JSONSchema{"type": "string", "format": "uri", "description": "urn:uuid: and the request's id."}},
		{Name: "errors", Value: wire.JSONSchema{"type": "array", "items": schemaOf("Fault"), "description": "Every fault at once, place by place; empty for what has no place."}},
		{Name: "details", Value: wire.JSONSchema{"description": "Facts that go with the code."}},
	}, []any{"type", "title", "status", "detail", "code", "instance", "errors"}), "An error (RFC 9457).")
	// The names are given before the schemas are written, which may name types.
	for _, info := range w.used {
		w.schemas.allot(problemOf{info.Code}, naming.Title(info.Code)+"Problem")
	}
	for _, info := range w.used {
		w.schemas.named[w.schemas.known[problemOf{info.Code}]] = w.problemOfCode(info)
	}
}

// alwaysThere returns the members that the errors of a code with details always have, in addition
// to those of every error. It is nil for still_referenced, whose details may be absent.
func alwaysThere(info problem.CodeInfo) []any {
	if info.Code == problem.CodeReferenced {
		return nil
	}
	return []any{"details"}
}

// codesInUse returns the codes of errors that some operation answers, sorted.
func (w *writer) codesInUse() []problem.CodeInfo {
	used := map[string]problem.CodeInfo{}
	for _, e := range w.api.Endpoints {
		for _, failure := range e.Failures {
			for _, code := range failure.Codes {
				used[code] = w.api.Codes[code]
			}
		}
	}
	names := slices.Sorted(maps.Keys(used))
	all := make([]problem.CodeInfo, len(names))
	for i, name := range names {
		all[i] = used[name]
	}
	return all
}

// faultCode returns the schema of the code of a fault: an enum of all codes, described by their
// texts.
func (w *writer) faultCode() wire.JSONSchema {
	var codes []any
	meanings := []string{"Stable, for programs:", ""}
	for _, info := range w.api.FaultCodes {
		codes = append(codes, info.Code)
		meanings = append(meanings, "- `"+info.Code+"`: "+info.Text)
	}
	return wire.JSONSchema{"type": "string", "enum": codes, "description": strings.Join(meanings, "\n")}
}

// meanings returns a text with one line for each code and its title.
func (w *writer) meanings(codes []string) string {
	lines := make([]string, len(codes))
	for i, code := range codes {
		lines[i] = "- `" + code + "`: " + w.api.Codes[code].Title + "."
	}
	if len(lines) == 1 {
		return strings.TrimPrefix(lines[0], "- ")
	}
	return strings.Join(lines, "\n")
}
