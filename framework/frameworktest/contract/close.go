package contract

import "strings"

// close forbids members that a schema does not name, in every object of the document. A
// schema that consists of others, by allOf, anyOf, oneOf or $ref, is closed where it
// describes a value, not part by part. A schema that names no members stays open.
func (t *tree) close() {
	for _, schema := range t.object("/components/schemas") {
		t.closeParts(schema)
	}
	for _, item := range t.object("/paths") {
		t.closeContents(item)
	}
	t.closeContents(t.at("/components/responses"))
	if root, ok := t.root.(map[string]any); ok && t.at(problem) != nil {
		root["problem"] = map[string]any{"$ref": "#" + problem, "unevaluatedProperties": false}
	}
}

// Errors that need no description have the schema of all errors, if the document has it.
// problem is that schema, and closedProblem its place in a closed document.
const (
	problem       = "/components/schemas/Problem"
	closedProblem = "/problem"
)

// closeContents closes the bodies that are described anywhere in a value.
func (t *tree) closeContents(value any) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			t.closeContents(one)
		}
	case map[string]any:
		contents, _ := value["content"].(map[string]any)
		for _, media := range contents {
			if described, ok := media.(map[string]any); ok {
				t.closeValue(described["schema"])
				t.closeValue(described["x-itemSchema"])
			}
		}
		for name, one := range value {
			if name != "content" {
				t.closeContents(one)
			}
		}
	}
}

// closeValue closes the schema of a value.
func (t *tree) closeValue(schema any) {
	t.closeParts(schema)
	if s, ok := schema.(map[string]any); ok && t.names(s, 0) && s["additionalProperties"] == nil {
		s["unevaluatedProperties"] = false
	}
}

// closeParts closes the values inside a schema.
func (t *tree) closeParts(schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	for _, keyword := range []string{"properties", "patternProperties"} {
		members, _ := s[keyword].(map[string]any)
		for _, member := range members {
			t.closeValue(member)
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		t.closeValue(s[keyword])
	}
	for _, keyword := range applicators {
		parts, _ := s[keyword].([]any)
		for _, part := range parts {
			t.closeParts(part)
		}
	}
}

// applicators are keywords that apply schemas to the same value.
var applicators = []string{"allOf", "anyOf", "oneOf"}

// names reports whether a schema, or a part of it, names members.
func (t *tree) names(s map[string]any, depth int) bool {
	if depth > 32 {
		return false
	}
	if _, named := s["properties"].(map[string]any); named {
		return true
	}
	if to, refers := s["$ref"].(string); refers && t.names(t.object(strings.TrimPrefix(to, "#")), depth+1) {
		return true
	}
	for _, keyword := range applicators {
		parts, _ := s[keyword].([]any)
		for _, part := range parts {
			if one, ok := part.(map[string]any); ok && t.names(one, depth+1) {
				return true
			}
		}
	}
	return false
}
