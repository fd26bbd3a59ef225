package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// in returns a reference to the schema of a body, as the decoder reads it. If partial, no field
// is required and none has a default; fields of nested objects keep both. If strict, unknown
// fields are rejected. With shown, it also has the fields that only the shown type has
// ([schemas.onlyShown]). With a key, it has the key of the row, which is required.
func (s *schemas) in(shape *input.Shape, partial, strict bool, shown reflect.Type, key *spec.Key) wire.JSONSchema {
	c := component{typ: shape.Typ, partial: partial, strict: strict, input: true, shown: shown}
	if key != nil {
		c.key = key.Name
	}
	if shape.Typ.Name() == "" {
		c.within = s.within
	}
	name, fresh := s.component(c)
	if !fresh {
		return schemaOf(name)
	}
	defer func(outer string) { s.within = outer }(s.within)
	properties, required := wire.Members{}, []any{}
	if key != nil {
		properties.Add(key.Name, described(s.key(key.Type), key.Doc))
		required = append(required, key.Name)
	}
	for _, f := range shape.Fields {
		if f.Name == c.key {
			continue
		}
		s.within = c.member(f.Name)
		if f.Required && !partial {
			required = append(required, f.Name)
		}
		properties.Add(f.Name, s.accepted(f, partial, strict))
	}
	o := object(append(properties, s.onlyShown(shape, shown)...), required)
	if strict {
		o["additionalProperties"] = false
	}
	if len(shape.OneOf) > 0 && !partial {
		o = s.choice(c, shape, o)
	}
	s.named[name] = o
	return schemaOf(name)
}

// onlyShown returns the fields of a shown type that an input lacks, by JSON name, with schemas
// that are marked readOnly. Without a shown type, it returns no fields.
func (s *schemas) onlyShown(input *input.Shape, shown reflect.Type) wire.Members {
	all := wire.Members{}
	if shown == nil {
		return all
	}
	for f := range s.cased.Fields(shown) {
		if input.ByName[naming.JSONName(f)] == nil {
			s.within = component{typ: shown}.member(naming.JSONName(f))
			schema := s.field(shown, f, f.Type)
			schema["readOnly"] = true
			all.Add(naming.JSONName(f), schema)
		}
	}
	return all
}

// accepted returns the schema of a field in a body. If partial, it has no default, because an
// absent field of a PATCH stays unchanged.
func (s *schemas) accepted(f *input.Field, partial, strict bool) wire.JSONSchema {
	return s.explained(f, s.value(f.Value, strict), partial)
}

// explained adds to the schema of a field's values the description, the default and the example
// of its tags, and a sentence about the tags ref and to. It adds no default if partial.
func (s *schemas) explained(f *input.Field, schema wire.JSONSchema, partial bool) wire.JSONSchema {
	doc := f.Doc
	switch {
	case f.Ref != "" && f.ListsKeys():
		doc = strings.TrimSpace(doc + " The ids of " + f.Ref + " that the caller may use here.")
	case f.Ref != "":
		doc = strings.TrimSpace(doc + " The id of one of " + f.Ref + " that the caller may use here.")
	}
	doc = strings.TrimSpace(doc + " " + f.Sets)
	if f.HasDef && !partial {
		schema["default"] = f.Sent
	}
	if f.Example != "" {
		schema["examples"] = []any{literal(schema, f.Value.Typ, f.Example)}
	}
	return described(schema, doc)
}

// parameter returns the schema of a query parameter that fills a field of a GET's input. It does
// not allow null.
func (s *schemas) parameter(f *input.Field) wire.JSONSchema {
	plan := f.Value
	if plan.Optional {
		plan = plan.Elem
	}
	given := *plan
	given.Nullable = false
	return s.explained(f, s.value(&given, false), false)
}

// ofText returns the schema of the values that [datatype.ParseValue] accepts for a type.
func (s *schemas) ofText(t reflect.Type) wire.JSONSchema {
	form := datatype.ParameterForm(t)
	if form == datatype.FormText || form == datatype.FormOwn {
		if schema := s.ownSchema(t); schema != nil {
			return withoutNull(schema)
		}
	}
	return form.Schema(t)
}

// key returns the schema of the key in a path. It does not allow null.
func (s *schemas) key(t reflect.Type) wire.JSONSchema {
	if schema := s.ownSchema(t); schema != nil {
		return withoutNull(schema)
	}
	if t.Kind() == reflect.String {
		return wire.JSONSchema{"type": "string"}
	}
	return s.ofText(t)
}

// value returns the schema of the values that a plan of the decoder accepts, with its rules.
func (s *schemas) value(p *input.ValuePlan, strict bool) wire.JSONSchema {
	if p.Optional {
		return s.value(p.Elem, strict)
	}
	schema := s.base(p, strict)
	for _, r := range p.Rules {
		narrowByRule(schema, r, p)
	}
	for _, own := range p.Own {
		narrowByOwn(schema, own, p)
	}
	if p.Required || p.Filled {
		filled(schema, p)
	}
	s.keepExamples(schema, p)
	if p.Nullable {
		return nullable(schema)
	}
	return schema
}

// keepExamples removes the examples of a type that the rules of the plan reject.
func (s *schemas) keepExamples(schema wire.JSONSchema, p *input.ValuePlan) {
	listed, _ := schema["examples"].([]any)
	kept := slices.DeleteFunc(slices.Clone(listed), func(example any) bool { return s.isRejected(fmt.Sprint(example), p) })
	switch {
	case len(kept) == len(listed):
	case len(kept) == 0:
		delete(schema, "examples")
	default:
		schema["examples"] = kept
	}
}

// isRejected reports whether a text is a value of the plan's type that breaks a rule of the plan.
func (s *schemas) isRejected(text string, p *input.ValuePlan) bool {
	value, err := datatype.ParseValue(p.Typ, text)
	if err != nil {
		return false
	}
	v := reflect.New(p.Typ).Elem() // Check needs an address
	v.Set(reflect.ValueOf(value))
	if p.Tag != "" {
		if code, _ := s.rules.Check(p.Tag, v); code != "" {
			return true
		}
	}
	return slices.ContainsFunc(p.Own, func(own rule.Bound) bool { return !own.Valid(v) })
}

// base returns the schema of the values of a plan, without its rules and without null.
func (s *schemas) base(p *input.ValuePlan, strict bool) wire.JSONSchema {
	if schema := s.ownSchema(p.Typ); schema != nil {
		return withoutNull(schema)
	}
	form := datatype.ReadForm(p.Typ)
	switch {
	case form != datatype.FormParts:
		return s.listed(p.Typ, form)
	case p.Nested != nil:
		return s.in(p.Nested, false, strict, nil, nil)
	case p.Elem != nil && p.Typ.Kind() == reflect.Map:
		return wire.JSONSchema{"type": "object", "additionalProperties": s.value(p.Elem, strict)}
	case p.Elem != nil:
		return wire.JSONSchema{"type": "array", "items": s.value(p.Elem, strict)}
	}
	return wire.JSONSchema{}
}

// filled excludes blank values from the schema of an array or of a text without an enum. It keeps
// minItems and minLength if the schema has them. It adds a pattern only if the schema has no
// other pattern than that of the rule line, and no format except password.
func filled(schema wire.JSONSchema, p *input.ValuePlan) {
	switch {
	case schema["type"] == "array" && schema["minItems"] == nil:
		schema["minItems"] = 1
	case schema["type"] == "string" && p.Typ.Kind() == reflect.String && schema["enum"] == nil:
		if schema["minLength"] == nil {
			schema["minLength"] = 1
		}
		switch {
		case schema["pattern"] == naming.LinePattern:
			schema["pattern"] = naming.FilledLinePattern
		case schema["pattern"] == nil && (schema["format"] == nil || schema["format"] == "password"):
			schema["pattern"] = naming.FilledPattern
		}
	}
}

// formats has the format of JSON Schema for each rule of text that accepts only values of this
// format. Other rules, such as uri, accept more.
var formats = map[string]string{"email": "idn-email", "ipv6": "ipv6", "uuid": "uuid", "uuid4": "uuid", "uuid7": "uuid"}

// narrowByRule adds a rule to the schema of a value: as keywords, or as a sentence if no keyword
// means the same. A format with another name than the rule gets the sentence too. The rule line
// is a sentence and a pattern.
func narrowByRule(schema wire.JSONSchema, r rule.Rule, p *input.ValuePlan) {
	keywords := ruleKeywords(inclusive(r, p.Typ), p.Typ)
	if len(keywords) == 0 {
		keywords = ownBound(schema, inclusive(r, p.Typ), p.Typ)
	}
	if blankPasses(r, p) {
		keywords = upperBounds(keywords)
	}
	maps.Copy(schema, keywords)
	if len(keywords) > 0 && (keywords["format"] == nil || keywords["format"] == r.Name) {
		return
	}
	if r.Name == "line" {
		described(schema, "One line of text.") // the conventions say what that is
		if schema["pattern"] == nil && schema["type"] == "string" {
			schema["pattern"] = naming.LinePattern
		}
		return
	}
	detail := rule.Detail(r, p.Typ)
	if p.Typ.Kind() == reflect.String && blankPasses(r, p) {
		detail += ", or be blank"
	}
	described(schema, strings.ToUpper(detail[:1])+detail[1:]+".")
}

// narrowByOwn adds a rule of the program to the schema of a value: its sentence, and its keywords
// unless omitempty lets a value pass that they reject.
func narrowByOwn(schema wire.JSONSchema, own rule.Bound, p *input.ValuePlan) {
	detail := own.Detail
	if p.OmitZero && p.Typ.Kind() == reflect.String {
		detail += ", or be blank"
	}
	if !p.OmitZero {
		maps.Copy(schema, own.Keywords)
	}
	described(schema, strings.ToUpper(detail[:1])+detail[1:]+".")
}

// blankPasses reports whether the zero value passes a rule because of omitempty. It is false for
// oneof on a type that lists its values.
func blankPasses(r rule.Rule, p *input.ValuePlan) bool {
	if r.Name == "oneof" && p.Values != nil {
		return false // the type rejects a zero value that it does not list
	}
	return p.OmitZero
}

// upperBounds returns the keywords if the only one is the maximum of a length or size, which every
// blank value satisfies. Otherwise, it returns none.
func upperBounds(words wire.JSONSchema) wire.JSONSchema {
	kept := wire.JSONSchema{}
	for _, name := range []string{"maxLength", "maxItems", "maxProperties"} {
		if value, ok := words[name]; ok && len(words) == 1 {
			kept[name] = value
		}
	}
	return kept
}

// ruleKeywords returns the keywords of JSON Schema for a rule, or none if there are none. A
// rule judges the Go value, so it says nothing about the JSON of a type that reads itself.
func ruleKeywords(r rule.Rule, t reflect.Type) wire.JSONSchema {
	form := datatype.ReadForm(t)
	listed := t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	n, err := strconv.ParseFloat(r.Param, 64)
	switch {
	case form == datatype.FormPlain && r.Name == "oneof":
		return wire.JSONSchema{"enum": literals(datatype.KindSchema(t.Kind()), t, rule.ListParam(r.Param))}
	case form == datatype.FormPlain && r.Name == "eq" && t.Kind() == reflect.String:
		return wire.JSONSchema{"enum": []any{r.Param}}
	case form == datatype.FormPlain && t.Kind() == reflect.String && formats[r.Name] != "":
		return wire.JSONSchema{"format": formats[r.Name]}
	case form == datatype.FormParts && t.Kind() == reflect.Slice && r.Name == "unique":
		return wire.JSONSchema{"uniqueItems": true}
	case err != nil || t.Kind() == reflect.Bool:
		return nil
	case form == datatype.FormPlain && t.Kind() != reflect.String:
		return boundKeywords(r.Name, plainNumber(r.Param, n))
	case form == datatype.FormPlain, form == datatype.FormParts && listed:
		noun := map[reflect.Kind]string{reflect.String: "Length", reflect.Slice: "Items", reflect.Map: "Properties"}[t.Kind()]
		return sizeKeywords(r.Name, noun, int64(n))
	}
	return nil
}

// inclusive returns a bound of whole numbers as one that includes its value: more than 2 is at
// least 3. Generators that read exclusiveMinimum only as OpenAPI 3.0 writes it, such as ogen,
// reject the whole document otherwise. It returns any other rule unchanged.
func inclusive(r rule.Rule, t reflect.Type) rule.Rule {
	n, err := strconv.ParseInt(r.Param, 10, 64)
	if kind := reflect.Zero(t); err != nil || !kind.CanInt() && !kind.CanUint() {
		return r
	}
	switch {
	case r.Name == "gt" && n < math.MaxInt64:
		r.Name, r.Param = "min", strconv.FormatInt(n+1, 10)
	case r.Name == "lt" && n > math.MinInt64:
		r.Name, r.Param = "max", strconv.FormatInt(n-1, 10)
	}
	return r
}

// ownBound returns the keyword for a bound of a type that writes itself as a number, such as an
// amount of money in hundredths. The bound is written as the type writes it.
func ownBound(schema wire.JSONSchema, r rule.Rule, t reflect.Type) wire.JSONSchema {
	bound := r.OwnBound(t)
	if bound == "" || schema["type"] != "number" && schema["type"] != "integer" {
		return nil
	}
	return boundKeywords(r.Name, json.Number(bound))
}

// plainNumber returns a number of a tag as a JSON number: the text of the tag if it is valid
// JSON, or else n in decimal notation.
func plainNumber(text string, n float64) json.Number {
	if wire.IsNumber(text) {
		return json.Number(text)
	}
	return json.Number(strconv.FormatFloat(n, 'f', -1, 64))
}

// sizeKeywords returns the keywords for a bound of a length. Lengths are whole numbers, so more
// than 2 is at least 3.
func sizeKeywords(rule, noun string, n int64) wire.JSONSchema {
	switch rule {
	case "min", "gte":
		return wire.JSONSchema{"min" + noun: n}
	case "gt":
		return wire.JSONSchema{"min" + noun: n + 1}
	case "max", "lte":
		return wire.JSONSchema{"max" + noun: n}
	case "lt":
		return wire.JSONSchema{"max" + noun: n - 1}
	case "len":
		return wire.JSONSchema{"min" + noun: n, "max" + noun: n}
	}
	return nil
}

// boundKeywords returns the keyword for a bound of a number. One allowed value is an enum: the code
// that openapi-python-client generates for a const of a number is not valid in each version of Python.
func boundKeywords(rule string, n json.Number) wire.JSONSchema {
	if rule == "eq" {
		return wire.JSONSchema{"enum": []any{n}}
	}
	keyword := map[string]string{
		"min": "minimum", "gte": "minimum", "gt": "exclusiveMinimum",
		"max": "maximum", "lte": "maximum", "lt": "exclusiveMaximum",
	}[rule]
	if keyword == "" {
		return nil
	}
	return wire.JSONSchema{keyword: n}
}
