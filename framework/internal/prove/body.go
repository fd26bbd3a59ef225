package prove

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/input"
)

// A writer makes a valid body.
type writer struct {
	*Fixture

	by    *person
	left  map[string]bool   // the pointers of members that are left out, because they were rejected
	refs  map[string]string // the key of a reference, by its pointer, in place of one that is made
	used  map[string]string // the references that were written, by pointer: the viewset
	on    *row              // that the request changes; nil for none
	least bool              // leave out what is not required
	vary  bool              // change examples, because a value must be new
	past  bool              // dates are before today, and not after
	to    *endpoint         // that receives the body
}

// body returns the body of an endpoint for a person, nil for none.
func (w *writer) body(e *endpoint) []byte {
	if e.body == nil || e.Input == nil {
		return nil
	}
	schema, in := e.body, e.BodyIn.Member
	if in != "" {
		schema = member(member(schema, "properties"), in)
	}
	w.to = e
	value := w.object(schema, e.Input, "")
	if in != "" {
		value = map[string]any{in: value}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return text
}

// query returns the parameters that the function of an endpoint requires.
func (w *writer) query(e *endpoint) url.Values {
	values := url.Values{}
	for _, param := range e.spec.Params {
		if param.Field != nil && param.Field.Required {
			values.Set(param.Name, w.parameter(param))
		}
	}
	return values
}

func member(schema map[string]any, name string) map[string]any {
	found, _ := schema[name].(map[string]any)
	return found
}

// object makes an object of a shape.
func (w *writer) object(schema map[string]any, shape *input.Shape, at string) any {
	object, properties := map[string]any{}, member(schema, "properties")
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		if parts, ok := schema[keyword].([]any); ok && len(properties) == 0 && len(parts) > 0 {
			part, _ := parts[0].(map[string]any)
			return w.object(part, shape, at)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, pointer := member(properties, name), at+"/"+name
		var field *input.Field
		if shape != nil {
			field = shape.ByName[name]
		}
		required := field != nil && field.Required
		if readOnly, _ := property["readOnly"].(bool); readOnly || (w.left[pointer] || w.least && isNumber(property)) && !required {
			continue
		}
		if value, ok := w.value(property, field, name, pointer); ok {
			object[name] = value
		}
	}
	return object
}

// value makes a value. It is false for one that is better left out.
func (w *writer) value(schema map[string]any, field *input.Field, name, at string) (any, bool) {
	if field != nil && field.Ref != "" {
		key, ok := w.reference(field.Ref, at)
		return number(schema, key), ok
	}
	if known, ok := w.known(schema, name); ok {
		return known, true
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if parts, ok := schema[keyword].([]any); ok && len(parts) > 0 {
			part, _ := parts[0].(map[string]any)
			return w.value(part, field, name, at)
		}
	}
	var nested *input.Shape
	if field != nil {
		nested = field.Nested
	}
	switch kindOf(schema) {
	case "object":
		return w.object(schema, nested, at), true
	case "array":
		return w.list(schema, nested, at), true
	case "string":
		return w.text(schema, name), true
	case "integer", "number":
		return w.number(schema), true
	case "boolean":
		return w.dice.IntN(2) == 0, true
	}
	return nil, false
}

// known returns a value that the member's name or its schema gives: a key, one of an enum, an
// example or a default.
func (w *writer) known(schema map[string]any, name string) (any, bool) {
	if key, ok := w.named(schema, name); ok {
		return key, true
	}
	if listed, ok := schema["enum"].([]any); ok && len(listed) > 0 {
		return listed[0], true
	}
	if listed, ok := schema["examples"].([]any); ok && len(listed) > 0 && !free(schema) {
		return w.varied(schema, listed[0]), true
	}
	usual, ok := schema["default"]
	return usual, ok
}

// named returns a key that only the name of a member announces: "variantId" is that of a row of
// the table variants. A number that the row has under the same name stays as it is, because it
// may be a version.
func (w *writer) named(schema map[string]any, name string) (any, bool) {
	if kindOf(schema) == "integer" && w.on != nil && w.on.values[name] != "" {
		return json.Number(w.on.values[name]), true
	}
	singular := strings.TrimSuffix(strings.TrimSuffix(name, "Id"), "_id")
	if singular == name || singular == "" {
		return nil, false
	}
	for _, one := range slices.Backward(w.made) {
		if key := w.keysOf(one.table); len(key) == 1 && w.singularOf(one.table) == singular {
			return number(schema, one.values[key[0]]), true
		}
	}
	return nil, false
}

func (w *writer) list(schema map[string]any, nested *input.Shape, at string) []any {
	items := member(schema, "items")
	all := []any{}
	for i := range max(1, int(bound(schema, "minItems", 0))) {
		place := fmt.Sprintf("%s/%d", at, i)
		if nested != nil {
			all = append(all, w.object(items, nested, place))
		} else if value, ok := w.value(items, nil, "", place); ok {
			all = append(all, value)
		}
	}
	if shared := sharedTexts[w.dice.IntN(len(sharedTexts))]; nested == nil && len(all) < int(bound(schema, "maxItems", 2)) && fits(items, shared) {
		all = append(all, shared)
	}
	return all
}

// reference returns the key of a row that the person may name.
func (w *writer) reference(viewset, at string) (string, bool) {
	if w.used != nil {
		w.used[at] = viewset
	}
	if key, given := w.refs[at]; given {
		return key, true
	}
	target, err := w.registry.LookUp(viewset)
	if err != nil {
		return "", false
	}
	var one *row
	if w.vary {
		one = w.makeRow(w.by, target) // the other may be taken
	}
	if via := w.to.owning(at); one == nil && via != nil { // a new row belongs to the owner of this one
		one = w.rowWhere(w.by, target, func(one *row) bool { return w.sees(w.by, target, one) && w.owns(w.by, via, one) })
	}
	if one == nil {
		one = w.rowFor(w.by, target)
	}
	if one == nil {
		return "", false
	}
	return one.values[target.Pk.Name], true
}
