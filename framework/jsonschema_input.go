package framework

import (
	"encoding/json"
	"maps"
	"reflect"
	"strconv"
	"strings"
)

// in is the schema of a body: what the decoder takes.
func (s *schemas) in(shape *inputShape, partial, strict bool) jsonSchema {
	name, fresh := s.name(component{typ: shape.typ, partial: partial, strict: strict, input: true})
	if !fresh {
		return schemaOf(name)
	}
	properties, required := members{}, []any{}
	for _, f := range shape.fields {
		if f.required && !partial {
			required = append(required, f.name)
		}
		properties.add(f.name, s.taken(f, partial, strict))
	}
	o := object(properties, required)
	if strict {
		o["additionalProperties"] = false
	}
	s.named[name] = o
	return schemaOf(name)
}

// taken is one field as a body may have it. In a PATCH an absent field stays as
// it is, so it has no default.
func (s *schemas) taken(f *inputField, partial, strict bool) jsonSchema {
	told := s.value(f.value, strict)
	doc := f.doc
	if f.ref != "" {
		doc = strings.TrimSpace(doc + " The id of one of " + f.ref + " that the caller may see.")
	}
	if f.hasDef && !partial {
		if text, err := encode(f.def.Interface()); err == nil {
			told["default"] = json.RawMessage(text)
		}
	}
	if f.example != "" {
		told["examples"] = []any{literal(f.value.typ, f.example)}
	}
	return described(told, doc)
}

// value is what a plan of the decoder takes.
func (s *schemas) value(p *valuePlan, strict bool) jsonSchema {
	if p.optional {
		return s.value(p.elem, strict)
	}
	told := s.base(p, strict)
	for _, r := range p.rules {
		r.narrow(told, p)
	}
	if p.required {
		filled(told, p.typ)
	}
	if p.nullable {
		return nullable(told)
	}
	return told
}

func (s *schemas) base(p *valuePlan, strict bool) jsonSchema {
	if known := s.scalar(p.typ); known != nil {
		if kind, ok := known["type"].([]any); ok {
			known["type"] = kind[0] // null is the plan's to allow
		}
		return known
	}
	switch {
	case p.nested != nil:
		return s.in(p.nested, false, strict)
	case p.elem != nil && p.typ.Kind() == reflect.Map:
		return jsonSchema{"type": "object", "additionalProperties": s.value(p.elem, strict)}
	case p.elem != nil:
		return jsonSchema{"type": "array", "items": s.value(p.elem, strict)}
	}
	return jsonSchema{}
}

// filled says that a required value is not blank.
func filled(told jsonSchema, t reflect.Type) {
	switch {
	case told["type"] == "array" && told["minItems"] == nil:
		told["minItems"] = 1
	case told["type"] == "string" && t.Kind() == reflect.String && told["enum"] == nil:
		if told["minLength"] == nil {
			told["minLength"] = 1
		}
	}
}

// formats are the rules that JSON Schema has a name for.
var formats = map[string]string{
	"email": "email", "uri": "uri", "url": "uri", "http_url": "uri", "https_url": "uri", "hostname": "hostname",
	"hostname_rfc1123": "hostname", "fqdn": "hostname", "ip": "ip", "ipv4": "ipv4", "ipv6": "ipv6", "uuid": "uuid", "uuid4": "uuid", "uuid7": "uuid",
}

// narrow adds a rule to the schema of a value: as keywords where some mean the
// same, else as a sentence.
func (r rule) narrow(told jsonSchema, p *valuePlan) {
	words := r.keywords(firstType(told), p.typ)
	if blankPasses(r, p) {
		words = upperBounds(words)
	}
	maps.Copy(told, words)
	if len(words) > 0 {
		return
	}
	if r.name == "line" {
		described(told, "One line of text.") // the conventions say what that is
		return
	}
	detail := ruleDetail(r, p.typ)
	if p.typ.Kind() == reflect.String && blankPasses(r, p) {
		detail += ", or be blank"
	}
	described(told, strings.ToUpper(detail[:1])+detail[1:]+".")
}

// blankPasses reports whether a rule leaves the zero value alone, which a
// keyword would not.
func blankPasses(r rule, p *valuePlan) bool {
	if r.name == "oneof" && p.values != nil {
		return false // the type has the last word
	}
	return p.omitZero || p.typ.Kind() == reflect.String && !p.required && r.name != "oneof"
}

// upperBounds are the keywords that nothing blank can break.
func upperBounds(words jsonSchema) jsonSchema {
	kept := jsonSchema{}
	for _, name := range []string{"maxLength", "maxItems", "maxProperties"} {
		if value, ok := words[name]; ok && len(words) == 1 {
			kept[name] = value
		}
	}
	return kept
}

// keywords say a rule as JSON Schema does; none if it cannot.
func (r rule) keywords(kind string, t reflect.Type) jsonSchema {
	format := formats[r.name]
	switch {
	case r.name == "oneof" && kind != "array" && kind != "object":
		return jsonSchema{"enum": literals(t, listParam(r.param))}
	case r.name == "unique" && kind == "array":
		return jsonSchema{"uniqueItems": true}
	case format != "" && t.Kind() == reflect.String:
		return jsonSchema{"format": format}
	}
	n, err := strconv.ParseFloat(r.param, 64)
	noun, sized := map[string]string{"string": "Length", "array": "Items", "object": "Properties"}[kind]
	switch {
	case err != nil || t.Kind() == reflect.Struct || t == uuidType:
		return nil
	case sized:
		return sizeKeywords(r.name, noun, int64(n))
	case kind == "integer" || kind == "number":
		return boundKeywords(r.name, json.Number(r.param))
	}
	return nil
}

// sizeKeywords bound a length, which is whole: more than 2 is at least 3.
func sizeKeywords(rule, noun string, n int64) jsonSchema {
	switch rule {
	case "min", "gte":
		return jsonSchema{"min" + noun: n}
	case "gt":
		return jsonSchema{"min" + noun: n + 1}
	case "max", "lte":
		return jsonSchema{"max" + noun: n}
	case "lt":
		return jsonSchema{"max" + noun: n - 1}
	case "len":
		return jsonSchema{"min" + noun: n, "max" + noun: n}
	}
	return nil
}

func boundKeywords(rule string, n json.Number) jsonSchema {
	keyword := map[string]string{
		"min": "minimum", "gte": "minimum", "gt": "exclusiveMinimum",
		"max": "maximum", "lte": "maximum", "lt": "exclusiveMaximum", "eq": "const",
	}[rule]
	if keyword == "" {
		return nil
	}
	return jsonSchema{keyword: n}
}

func firstType(told jsonSchema) string {
	switch t := told["type"].(type) {
	case string:
		return t
	case []any:
		kind, _ := t[0].(string)
		return kind
	}
	return ""
}
