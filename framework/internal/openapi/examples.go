package openapi

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// examples returns one error as a client reads it for each code in use, by code. An error that
// cannot be encoded is reported and left out.
func (w *writer) examples() map[string]any {
	all := map[string]any{}
	for _, info := range w.used { // sorted: they may give names to schemas
		code := info.Code
		shown := w.sample(code)
		shown.Faults = sampleFaults[code]
		if info.Details != nil {
			shown.Error = shown.With(w.schemas.sample(w.schemas.out(reflect.TypeOf(info.Details)), 0))
		}
		_, body := w.api.ErrorShape.Shape(shown)
		text, err := wire.Encode(body)
		if err != nil {
			w.schemas.fault(naming.Sentence("the error shape cannot be written as JSON: %w", err))
			continue
		}
		all[code] = json.RawMessage(text)
	}
	return all
}

// sample returns an error with a code. Its detail is the first sentence of the code's text.
func (w *writer) sample(code string) problem.Problem {
	info := w.api.Codes[code]
	detail, _, _ := strings.Cut(info.Text, ". ")
	return problem.Problem{
		Error: problem.Refuse(info.Status, code, strings.TrimSuffix(detail, ".")+"."), Title: info.Title,
		Type: w.api.ErrorsAt + code, RequestID: uuid.MustParse(sampleID),
	}
}

const sampleID = "0198f1c2-7a3b-7c4d-8e5f-001122334455"

// sampleFaults are the faults in the samples of codes that have some.
var sampleFaults = map[string][]problem.Fault{
	problem.CodeValidationFailed: {{Pointer: "/name", Code: "required", Detail: "is required"}},
	problem.CodeUnknownField:     {{Pointer: "/names", Code: problem.CodeUnknownField, Detail: "is not a field that can be written here; did you mean /name?"}},
	problem.CodeInvalidParameter: {{Parameter: "page", Code: problem.CodeInvalidParameter, Detail: "must be a whole number of at least 1"}},
	problem.CodeInvalidReference: {{Pointer: "/parent", Code: problem.CodeInvalidReference, Detail: "refers to nothing that you may use"}},
	problem.CodeUnique:           {{Pointer: "/name", Code: problem.CodeUnique, Detail: "must be unique"}},
}

// deepestSample is the greatest depth of a sample, so that the sample of a type that contains
// itself has an end.
const deepestSample = 8

// sample returns an example value for a schema: the first of its examples or of its enum, a
// sample of the first alternative of its anyOf, or a value of its first type. That value may
// violate other keywords, such as pattern. It is nil for a schema without any of these, and
// deeper than deepestSample.
func (s *schemas) sample(schema wire.JSONSchema, depth int) any {
	if depth > deepestSample {
		return nil
	}
	if to, refers := schema["$ref"].(string); refers {
		return s.sample(s.named[to[strings.LastIndex(to, "/")+1:]], depth)
	}
	for _, keyword := range []string{"examples", "enum"} {
		if listed, ok := schema[keyword].([]any); ok && len(listed) > 0 {
			return listed[0]
		}
	}
	if parts, ok := schema["anyOf"].([]any); ok {
		part, _ := parts[0].(wire.JSONSchema)
		return s.sample(part, depth)
	}
	switch kind := append(typesOf(schema), "")[0]; kind {
	case "object":
		return s.sampleObject(schema, depth)
	case "array":
		items, _ := schema["items"].(wire.JSONSchema)
		return []any{s.sample(items, depth+1)}
	case "integer", "number":
		return max(sampleBound(schema["minimum"]), 1)
	case "boolean":
		return true
	case "string":
		format, _ := schema["format"].(string)
		return sampleTexts[format]
	}
	return nil
}

func (s *schemas) sampleObject(schema wire.JSONSchema, depth int) any {
	all := wire.Members{}
	properties, _ := schema["properties"].(wire.Members)
	for _, one := range properties {
		property, _ := one.Value.(wire.JSONSchema)
		all.Add(one.Name, s.sample(property, depth+1))
	}
	return all
}

func sampleBound(bound any) int64 {
	v := reflect.ValueOf(bound)
	if v.IsValid() && v.CanInt() {
		return v.Int()
	}
	return 0
}

// sampleTexts are texts by their format, "" for no format. An unlisted format has the empty
// text.
var sampleTexts = map[string]string{
	"": "text", "uuid": sampleID, "date-time": "2026-01-31T09:00:00Z", "uri": "https://example.org/", "email": "asha@example.org",
}
