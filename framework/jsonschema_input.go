package framework

import (
	"encoding/json"
	"maps"
	"reflect"
	"strconv"
	"strings"
)

// in is the schema of a body: what the decoder takes. In one that is shown, what
// is only shown may be sent back as it was, where nothing else is taken.
func (s *schemas) in(shape *inputShape, partial, strict bool, shown reflect.Type) jsonSchema {
	c := component{typ: shape.typ, partial: partial, strict: strict, input: true, shown: shown}
	if shape.typ.Name() == "" {
		c.within = s.within
	}
	name, fresh := s.component(c)
	if !fresh {
		return schemaOf(name)
	}
	defer func(outer string) { s.within = outer }(s.within)
	properties, required := members{}, []any{}
	for _, f := range shape.fields {
		s.within = c.member(f.name)
		if f.required && !partial {
			required = append(required, f.name)
		}
		properties.add(f.name, s.taken(f, partial, strict))
	}
	o := object(append(properties, s.onlyShown(shape, shown)...), required)
	if strict {
		o["additionalProperties"] = false
	}
	if len(shape.oneOf) > 0 && !partial {
		o = s.choice(c, shape, o)
	}
	s.named[name] = o
	return schemaOf(name)
}

// onlyShown are the fields of a shape that an input does not have.
func (s *schemas) onlyShown(input *inputShape, shown reflect.Type) members {
	all := members{}
	if shown == nil {
		return all
	}
	for f := range shapeFields(shown) {
		if input.byName[jsonName(f)] == nil {
			told := s.field(shown, f, f.Type)
			told["readOnly"] = true
			all.add(jsonName(f), told)
		}
	}
	return all
}

// taken is one field as a body may have it. In a PATCH an absent field stays as
// it is, so it has no default.
func (s *schemas) taken(f *inputField, partial, strict bool) jsonSchema {
	return s.explained(f, s.value(f.value, strict), partial)
}

// explained adds to the schema of a field's values what its tags say.
func (s *schemas) explained(f *inputField, told jsonSchema, partial bool) jsonSchema {
	doc := f.doc
	if f.ref != "" {
		doc = strings.TrimSpace(doc + " The id of one of " + f.ref + " that the caller may see.")
	}
	if f.hasDef && !partial {
		told["default"] = f.sent
	}
	if f.example != "" {
		told["examples"] = []any{literal(told, f.value.typ, f.example)}
	}
	return described(told, doc)
}

// parameter is the field of a GET's input: text, so that it is never null.
func (s *schemas) parameter(f *inputField) jsonSchema {
	plan := f.value
	if plan.optional {
		plan = plan.elem
	}
	given := *plan
	given.nullable = false
	return s.explained(f, s.value(&given, false), false)
}

// asked is the schema of what [ParseValue] takes for a type.
func (s *schemas) asked(t reflect.Type) jsonSchema {
	form := askedForm(t)
	if form == formText || form == formOwn {
		if told := s.told(t); told != nil {
			return withoutNull(told)
		}
	}
	return form.schema(t)
}

// key is the schema of what finds a row in a path.
func (s *schemas) key(t reflect.Type) jsonSchema {
	if told := s.told(t); told != nil {
		return withoutNull(told)
	}
	if t.Kind() == reflect.String {
		return jsonSchema{"type": "string"}
	}
	return s.asked(t)
}

// value is what a plan of the decoder takes.
func (s *schemas) value(p *valuePlan, strict bool) jsonSchema {
	if p.optional {
		return s.value(p.elem, strict)
	}
	told := s.base(p, strict)
	for _, r := range p.rules {
		narrowByRule(told, r, p)
	}
	if p.required || p.filled {
		filled(told, p)
	}
	if p.nullable {
		return nullable(told)
	}
	return told
}

// base is what is read before any rule; null is the plan's to allow.
func (s *schemas) base(p *valuePlan, strict bool) jsonSchema {
	if told := s.told(p.typ); told != nil {
		return withoutNull(told)
	}
	form := readForm(p.typ)
	switch {
	case form != formParts:
		return s.listed(p.typ, form)
	case p.nested != nil:
		return s.in(p.nested, false, strict, nil)
	case p.elem != nil && p.typ.Kind() == reflect.Map:
		return jsonSchema{"type": "object", "additionalProperties": s.value(p.elem, strict)}
	case p.elem != nil:
		return jsonSchema{"type": "array", "items": s.value(p.elem, strict)}
	}
	return jsonSchema{}
}

// filled says that a value is not blank.
func filled(told jsonSchema, p *valuePlan) {
	switch {
	case told["type"] == "array" && told["minItems"] == nil:
		told["minItems"] = 1
	case told["type"] == "string" && p.typ.Kind() == reflect.String && told["enum"] == nil:
		if told["minLength"] == nil {
			told["minLength"] = 1
		}
		switch {
		case told["pattern"] == linePattern:
			told["pattern"] = filledLinePattern
		case told["pattern"] == nil && (told["format"] == nil || told["format"] == "password"):
			told["pattern"] = filledPattern
		}
	}
}

// formats are the rules of text that take nothing which a format of JSON Schema
// does not have. Others, such as uri, take more.
var formats = map[string]string{"email": "idn-email", "ipv6": "ipv6", "uuid": "uuid", "uuid4": "uuid", "uuid7": "uuid"}

// narrowByRule adds a rule to the schema of a value: as keywords where some mean the
// same, else as a sentence.
func narrowByRule(told jsonSchema, r rule, p *valuePlan) {
	keywords := ruleKeywords(r, p.typ)
	if len(keywords) == 0 {
		keywords = ownBound(told, r, p.typ)
	}
	if blankPasses(r, p) {
		keywords = upperBounds(keywords)
	}
	maps.Copy(told, keywords)
	if len(keywords) > 0 && (keywords["format"] == nil || keywords["format"] == r.name) {
		return
	}
	if r.name == "line" {
		described(told, "One line of text.") // the conventions say what that is
		if told["pattern"] == nil && told["type"] == "string" {
			told["pattern"] = linePattern
		}
		return
	}
	detail := ruleDetail(r, p.typ)
	if p.typ.Kind() == reflect.String && blankPasses(r, p) {
		detail += ", or be blank"
	}
	described(told, strings.ToUpper(detail[:1])+detail[1:]+".")
}

// blankPasses reports whether a rule leaves the zero value alone, as omitempty
// has it, which a keyword would not.
func blankPasses(r rule, p *valuePlan) bool {
	if r.name == "oneof" && p.values != nil {
		return false // the type has the last word
	}
	return p.omitZero
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

// ruleKeywords say a rule as JSON Schema does; none if it cannot. A rule judges the
// Go value, so that of a type which reads itself it says nothing about the JSON.
func ruleKeywords(r rule, t reflect.Type) jsonSchema {
	form := readForm(t)
	listed := t.Kind() == reflect.Slice || t.Kind() == reflect.Map
	n, err := strconv.ParseFloat(r.param, 64)
	switch {
	case form == formPlain && r.name == "oneof":
		return jsonSchema{"enum": literals(kindSchema(t.Kind()), t, listParam(r.param))}
	case form == formPlain && t.Kind() == reflect.String && formats[r.name] != "":
		return jsonSchema{"format": formats[r.name]}
	case form == formParts && t.Kind() == reflect.Slice && r.name == "unique":
		return jsonSchema{"uniqueItems": true}
	case err != nil || t.Kind() == reflect.Bool:
		return nil
	case form == formPlain && t.Kind() != reflect.String:
		return boundKeywords(r.name, plainNumber(r.param, n))
	case form == formPlain, form == formParts && listed:
		noun := map[reflect.Kind]string{reflect.String: "Length", reflect.Slice: "Items", reflect.Map: "Properties"}[t.Kind()]
		return sizeKeywords(r.name, noun, int64(n))
	}
	return nil
}

// ownBound is a bound of a type that writes itself as a number, such as an amount of
// money in hundredths: the bound as the type writes it.
func ownBound(told jsonSchema, r rule, t reflect.Type) jsonSchema {
	n, err := strconv.ParseInt(r.param, 10, 64)
	v := reflect.New(t).Elem()
	if err != nil || !v.CanInt() || v.OverflowInt(n) || told["type"] != "number" && told["type"] != "integer" {
		return nil
	}
	v.SetInt(n)
	text, err := encode(v.Interface())
	if err != nil || !isNumber(string(text)) {
		return nil
	}
	return boundKeywords(r.name, json.Number(text))
}

// plainNumber is a number of a tag as JSON has it: as it stands there, if JSON
// has it so.
func plainNumber(text string, n float64) json.Number {
	if isNumber(text) {
		return json.Number(text)
	}
	return json.Number(strconv.FormatFloat(n, 'f', -1, 64))
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
