package framework

import (
	"reflect"
	"slices"
	"strings"
)

// problem is the schema of refusals with a status and one of the codes. What all
// refusals have is told once, as Problem; a code with details of its own has a
// schema that is named by it. A client that knows Problem can read any of them.
func (w *specWriter) problem(status int, codes []string) jsonSchema {
	if _, standard := w.api.config.ErrorShape.(ProblemJSON); !standard {
		return w.ownShape(status)
	}
	var plain, all []any
	for _, code := range codes {
		if name, typed := w.schemas.known[problemOf{code}]; typed {
			all = append(all, schemaOf(name))
			continue
		}
		plain = append(plain, code)
	}
	if len(plain) > 0 {
		// Many generators read no keyword beside a reference, so it stands alone.
		all = append(all, jsonSchema{"allOf": []any{schemaOf("Problem"), object(members{
			{"status", jsonSchema{"const": status}}, {"code", jsonSchema{"enum": plain}},
		}, nil)}})
	}
	if len(all) == 1 {
		return all[0].(jsonSchema) //nolint:forcetypeassert // all of them are
	}
	return jsonSchema{"anyOf": all}
}

// ownShape is the schema of refusals in a shape of the program's own.
func (w *specWriter) ownShape(status int) jsonSchema {
	shape := w.api.config.ErrorShape
	teller, ok := shape.(ShapeTeller)
	if !ok {
		return jsonSchema{"type": "object"}
	}
	told, err := readSchema(teller.ShapeSchema(status))
	if err != nil {
		w.schemas.fault(sentence("%T.ShapeSchema(%d): %w", shape, status, err))
	}
	return told
}

// problems names the shapes that refusals have, before anything else.
func (w *specWriter) problems() {
	if _, standard := w.api.config.ErrorShape.(ProblemJSON); !standard {
		return
	}
	text := func(doc string) jsonSchema { return jsonSchema{"type": "string", "description": doc} }
	// The first names are given to these, so that they are theirs whatever is declared.
	w.schemas.allot("a fault", "Fault")
	w.schemas.allot("a problem", "Problem")
	w.schemas.named["Fault"] = object(members{
		{"pointer", text("A JSON Pointer (RFC 6901) into the body.")},
		{"parameter", text("The name of a query parameter.")},
		{"code", w.faultCode()},
		{"detail", text("One sentence for a person.")},
	}, []any{"code", "detail"})
	w.schemas.named["Problem"] = described(object(members{
		{"type", jsonSchema{"type": "string", "format": "uri-reference", "description": "The address of a page that explains the code: " + w.api.errorsAt() + " and the code."}},
		{"title", text("The code in a few words.")},
		{"status", jsonSchema{"type": "integer", "minimum": 400, "maximum": 599}},
		{"detail", text("One sentence for a person.")},
		{"code", text("Stable, for programs.")},
		{"instance", jsonSchema{"type": "string", "format": "uri", "description": "urn:uuid: and the request's id."}},
		{"errors", jsonSchema{"type": "array", "items": schemaOf("Fault"), "description": "Every fault at once, place by place; empty for what has no place."}},
		{"details", jsonSchema{"description": "Facts that go with the code."}},
	}, []any{"type", "title", "status", "detail", "code", "instance", "errors"}), "A refusal (RFC 9457).")
	typed := w.codesWithDetails()
	for _, info := range typed {
		w.schemas.allot(problemOf{info.Code}, title(info.Code)+"Problem")
	}
	for _, info := range typed {
		w.schemas.named[w.schemas.known[problemOf{info.Code}]] = described(jsonSchema{"allOf": []any{schemaOf("Problem"), object(members{
			{"status", jsonSchema{"const": info.Status}}, {"code", jsonSchema{"const": info.Code}},
			{"details", w.schemas.out(reflect.TypeOf(info.Details))},
		}, alwaysThere(info))}}, info.Title+".")
	}
}

// alwaysThere are the members beside those of every problem that a code always has: the
// details of still_referenced may be absent.
func alwaysThere(info CodeInfo) []any {
	if info.Code == CodeReferenced {
		return nil
	}
	return []any{"details"}
}

// codesWithDetails are those whose details have a type, and that there are.
func (w *specWriter) codesWithDetails() []CodeInfo {
	deletes := slices.ContainsFunc(w.api.endpoints(), func(e *endpoint) bool { return e.kind == verbDeletes })
	all := slices.Concat(w.api.config.Codes, builtinCodes)
	for i, info := range all {
		if known, ok := w.api.codes[info.Code]; ok && !info.isFault() {
			all[i] = known // those of 401 have details where there is an endpoint to sign in at
		}
	}
	return slices.DeleteFunc(all, func(info CodeInfo) bool {
		return info.Details == nil || info.Code == CodeReferenced && !deletes
	})
}

// faultCode is the code of one fault: every one that there is, with what it
// means.
func (w *specWriter) faultCode() jsonSchema {
	var codes []any
	meanings := []string{"Stable, for programs:", ""}
	for _, info := range w.api.faultCodes() {
		codes = append(codes, info.Code)
		meanings = append(meanings, "- `"+info.Code+"`: "+info.Text)
	}
	return jsonSchema{"type": "string", "enum": codes, "description": strings.Join(meanings, "\n")}
}

// meanings are codes with what they say, a line for each.
func (w *specWriter) meanings(codes []string) string {
	lines := make([]string, len(codes))
	for i, code := range codes {
		lines[i] = "- `" + code + "`: " + w.api.codes[code].Title + "."
	}
	if len(lines) == 1 {
		return strings.TrimPrefix(lines[0], "- ")
	}
	return strings.Join(lines, "\n")
}
