package prove

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// bodyOf returns the JSON Schema of the body of an endpoint, nil without one.
func (p *prover) bodyOf(e *endpoint) (map[string]any, error) {
	described := openapi.Describe(p.document, e.info.Path, e.info.Method)
	text, err := wire.Encode(described.Member("body"))
	if err != nil || described.Member("body") == nil {
		return nil, err
	}
	var body map[string]any
	return body, json.Unmarshal(text, &body)
}

// A writer makes a valid body.
type writer struct {
	*prover

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

// parameter makes the value of a parameter of a function.
func (w *writer) parameter(param spec.Param) string {
	switch {
	case param.Field.Ref != "":
		key, _ := w.reference(param.Field.Ref, param.Name)
		return key
	case len(param.Enum) > 0:
		return param.Enum[0]
	case param.Field.Example != "":
		return param.Field.Example
	}
	switch t := param.Type; {
	case t == reflect.TypeFor[uuid.UUID]():
		return w.text(map[string]any{"format": "uuid"}, param.Name)
	case t == reflect.TypeFor[time.Time]():
		return w.text(map[string]any{"format": "date-time"}, param.Name)
	case t != nil && t.Kind() == reflect.Bool:
		return "true"
	case t != nil && t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64:
		return fmt.Sprint(cmp.Or(param.Minimum, any(10)))
	}
	return w.word(min(12, cmp.Or(param.MaxLength, 12)))
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

// singularOf is the name of a table in the singular.
func (p *prover) singularOf(name string) string {
	if p.singulars[name] == "" {
		p.singulars[name] = naming.Singular(name)
	}
	return p.singulars[name]
}

// varied returns an example, or one of its form if it must be new.
func (w *writer) varied(schema map[string]any, example any) any {
	text, isText := example.(string)
	if !w.vary || !isText {
		return example
	}
	pattern, _ := schema["pattern"].(string)
	fits, err := regexp.Compile(pattern)
	for range attempts {
		made := []rune(text)
		for i, old := range made {
			switch {
			case old >= 'a' && old <= 'z':
				made[i] = rune(letters[w.dice.IntN(len(letters))])
			case old >= 'A' && old <= 'Z':
				made[i] = rune(letters[w.dice.IntN(len(letters))]) - 'a' + 'A'
			case old >= '0' && old <= '9':
				made[i] = '0' + w.dice.Int32N(10)
			}
		}
		if err == nil && fits.MatchString(string(made)) && schema["format"] == nil {
			return string(made)
		}
	}
	return example
}

// free reports whether a text may be any, so that a random text is better than an example.
func free(schema map[string]any) bool {
	return kindOf(schema) == "string" && schema["format"] == nil && schema["pattern"] == nil
}

// fits reports whether a text satisfies a schema.
func fits(schema map[string]any, text string) bool {
	pattern, _ := schema["pattern"].(string)
	matches, err := regexp.MatchString(pattern, text)
	return kindOf(schema) == "string" && schema["format"] == nil && schema["enum"] == nil && err == nil && matches &&
		len(text) <= int(bound(schema, "maxLength", 100)) && len(text) >= int(bound(schema, "minLength", 0))
}

func isNumber(schema map[string]any) bool {
	return slices.Contains([]string{"integer", "number"}, kindOf(schema))
}

func kindOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		for _, one := range kind {
			if text, _ := one.(string); text != "null" {
				return text
			}
		}
	}
	return ""
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

// sharedTexts are in the lists of texts of several rows, so that a request which removes one from its row can
// remove it from others too.
var sharedTexts = []string{"morning", "evening"}

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

// number returns a key as its schema has it.
func number(schema map[string]any, key string) any {
	if kindOf(schema) == "integer" {
		return json.Number(key)
	}
	return key
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// telling is the least length of a text that no two rows have by chance.
const telling = 10

// mailDomain ends the addresses of bodies.
const mailDomain = "@example.com"

func (p *prover) word(length int) string {
	var text strings.Builder
	text.WriteString(p.start[:min(length, len(p.start))])
	for text.Len() < length {
		text.WriteByte(letters[p.dice.IntN(len(letters))])
	}
	if length >= telling {
		p.words[text.String()] = true
	}
	return text.String()
}

// day returns a day of the next 300, or of the last ones: a function may accept only one of both.
func (w *writer) day() time.Time {
	days := 1 + w.dice.IntN(300)
	if w.past {
		days = -days
	}
	return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, days)
}

// text makes a text that nothing else has, as far as its schema lets it.
func (w *writer) text(schema map[string]any, name string) string {
	switch schema["format"] {
	case "uuid":
		return uuid.Must(uuid.NewV7()).String()
	case "date-time":
		return w.day().Add(time.Duration(w.dice.IntN(24*60)) * time.Minute).Format(time.RFC3339)
	case "date":
		return w.day().Format(time.DateOnly)
	case "time":
		return fmt.Sprintf("%02d:%02d:00", w.dice.IntN(24), w.dice.IntN(60))
	case "duration":
		return fmt.Sprintf("PT%dM", 1+w.dice.IntN(59))
	case "email", "idn-email":
		return w.word(telling) + mailDomain
	case "uri", "url":
		return "https://example.com/" + w.word(8)
	}
	if lower := strings.ToLower(name); strings.HasSuffix(lower, "url") || strings.HasSuffix(lower, "link") {
		return "https://example.com/" + w.word(8)
	}
	length := min(max(12, int(bound(schema, "minLength", 0))), int(bound(schema, "maxLength", 1000)))
	pattern, _ := schema["pattern"].(string)
	fits, err := regexp.Compile(pattern)
	for _, made := range []string{
		w.word(length), w.word(min(length, 3)), strconv.Itoa(1_000_000_000 + w.dice.IntN(1_000_000_000)),
		fmt.Sprintf("+1555%07d", w.dice.IntN(10_000_000)), strconv.Itoa(100_000 + w.dice.IntN(900_000)), strconv.Itoa(1 + w.dice.IntN(99)),
		"https://example.com/" + w.word(8), strings.ToUpper(w.word(3)),
	} {
		if pattern == "" || err == nil && fits.MatchString(made) {
			return made
		}
	}
	if listed, ok := schema["examples"].([]any); ok && len(listed) > 0 {
		return fmt.Sprint(listed[0])
	}
	return w.word(length)
}

func (w *writer) number(schema map[string]any) any {
	least, most := bound(schema, "minimum", 1), bound(schema, "maximum", 1000)
	if exclusive, ok := schema["exclusiveMinimum"].(float64); ok {
		least = exclusive + 1
	}
	return int64(max(least, min(most, least+float64(w.dice.IntN(10)))))
}

func bound(schema map[string]any, keyword string, usual float64) float64 {
	if given, ok := schema[keyword].(float64); ok {
		return given
	}
	return usual
}
