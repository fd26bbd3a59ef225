package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// schemas gathers the named schemas of a document while it is written.
type schemas struct {
	names

	beside map[reflect.Type]map[string]*input.Field // by a shown type, the input's fields with the same names
	hidden map[spec.MemberOf]string                 // sentences about members that only some callers see
	faults []error
	rules  *rule.Book  // checks the examples of types
	cased  naming.Case // of the names of fields that no tag gives
	within string      // the name for the next type, if the type has no name
}

func newSchemas(shown []spec.Shown, hidden map[spec.MemberOf]string, names naming.Case) *schemas {
	s := &schemas{names: newNames(), rules: rule.NewBook(), cased: names, hidden: hidden, beside: map[reflect.Type]map[string]*input.Field{}}
	for _, one := range shown {
		s.shownBeside(one.Output, one.Inputs)
	}
	return s
}

// shownBeside remembers the fields of a viewset's inputs that a shown type has too: with the
// same JSON name and, pointers aside, the same type. If several inputs have such a field, the
// first decides. The first call for a shown type decides; later calls do nothing.
func (s *schemas) shownBeside(out reflect.Type, inputs []*input.Shape) {
	if out == nil || out.Kind() != reflect.Struct || s.beside[out] != nil {
		return
	}
	s.beside[out] = map[string]*input.Field{}
	for _, shape := range inputs {
		for f := range s.cased.Fields(out) {
			in := shape.ByName[naming.JSONName(f)]
			if in != nil && s.beside[out][in.Name] == nil && naming.Indirect(in.Typ) == naming.Indirect(f.Type) {
				s.beside[out][in.Name] = in
			}
		}
	}
}

// nullable lets a schema allow null too. A schema without a type, or with a keyword in
// narrowing, becomes one of two alternatives. An enum gets the value null. An empty schema
// allows null already.
func nullable(s wire.JSONSchema) wire.JSONSchema {
	kinds := typesOf(s)
	switch {
	case len(s) == 0: // anything
	case len(kinds) == 0 || slices.ContainsFunc(narrowing, func(keyword string) bool { return s[keyword] != nil }):
		return wire.JSONSchema{"anyOf": []any{s, wire.JSONSchema{"type": "null"}}}
	case !slices.Contains(kinds, "null"):
		setTypes(s, append(kinds, "null"))
		if values, listed := s["enum"].([]any); listed {
			s["enum"] = append(slices.Clip(values), nil)
		}
	}
	return s
}

// narrowing has the keywords that apply to values of every type, except enum.
var narrowing = []string{"$ref", "const", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"}

// withoutNull removes null from the types of a schema that has several types.
func withoutNull(s wire.JSONSchema) wire.JSONSchema {
	kinds := typesOf(s)
	if len(kinds) > 1 {
		setTypes(s, slices.DeleteFunc(kinds, func(kind string) bool { return kind == "null" }))
	}
	return s
}

// typesOf returns the types in the keyword type of a schema.
func typesOf(s wire.JSONSchema) (kinds []string) {
	switch t := s["type"].(type) {
	case string:
		kinds = []string{t}
	case []any:
		for _, one := range t {
			if kind, ok := one.(string); ok {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// setTypes sets the keyword type of a schema: one type as a string, several as an array.
func setTypes(s wire.JSONSchema, kinds []string) {
	if len(kinds) == 1 {
		s["type"] = kinds[0]
		return
	}
	all := make([]any, len(kinds))
	for i, kind := range kinds {
		all[i] = kind
	}
	s["type"] = all
}

// out returns the schema of the values of a type as the API writes them.
func (s *schemas) out(t reflect.Type) wire.JSONSchema {
	if t.Kind() == reflect.Pointer {
		return nullable(s.out(t.Elem()))
	}
	if schema := s.ownSchema(t); schema != nil {
		return schema
	}
	switch form := datatype.WrittenForm(t); form {
	case datatype.FormParts:
		return s.parts(t)
	case datatype.FormBytes:
		return nullable(form.Schema(t)) // nil is written as null
	default:
		return s.listed(t, form)
	}
}

// parts returns the schema of a type that is written element by element or field by field.
func (s *schemas) parts(t reflect.Type) wire.JSONSchema {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return wire.JSONSchema{"type": "array", "items": s.out(t.Elem())}
	case reflect.Map:
		return wire.JSONSchema{"type": "object", "additionalProperties": s.out(t.Elem())}
	case reflect.Struct:
		return s.shown(t)
	}
	return wire.JSONSchema{}
}

// shown returns the schema of a struct as it is written. Every field is required, except those
// with omitempty or omitzero in their tag, and those that only some callers see.
func (s *schemas) shown(t reflect.Type) wire.JSONSchema {
	c := component{typ: t}
	if t.Name() == "" {
		c.within = s.within
	}
	name, fresh := s.component(c)
	if !fresh {
		return schemaOf(name)
	}
	defer func(outer string) { s.within = outer }(s.within)
	properties, required := wire.Members{}, []any{}
	for f := range s.cased.Fields(t) {
		s.within = c.member(naming.JSONName(f))
		typ := f.Type
		some, absent := s.hidden[spec.MemberOf{Type: t, Name: naming.JSONName(f)}]
		if naming.HasOption(f, "omitempty") || naming.HasOption(f, "omitzero") {
			typ = naming.Indirect(typ)
		} else if !absent {
			required = append(required, naming.JSONName(f))
		}
		properties.Add(naming.JSONName(f), noted(s.field(t, f, typ), some))
	}
	s.named[name] = object(properties, required)
	return schemaOf(name)
}

// field returns the schema of a field as it is written. If its tag doc or example is missing, it
// has that of the input's field with the same name and type. It has no rules: they are for input,
// and a stored value may be older than the rules, or zero.
func (s *schemas) field(shape reflect.Type, f reflect.StructField, t reflect.Type) wire.JSONSchema {
	schema := s.out(t)
	if isQuoted(f) {
		schema = wire.JSONSchema{"type": "string"}
		if t.Kind() == reflect.Pointer {
			schema = nullable(schema)
		}
	}
	doc, example := f.Tag.Get("doc"), f.Tag.Get("example")
	if in := s.beside[shape][naming.JSONName(f)]; in != nil {
		doc, example = cmp.Or(doc, in.Doc), cmp.Or(example, in.Example)
	}
	if example != "" {
		schema["examples"] = []any{literal(schema, t, example)}
	}
	return described(schema, doc)
}

// isQuoted reports whether the option string of a field's tag makes its value a JSON string.
func isQuoted(f reflect.StructField) bool {
	return naming.HasOption(f, "string") && datatype.WrittenForm(naming.Indirect(f.Type)) == datatype.FormPlain
}

func object(properties wire.Members, required []any) wire.JSONSchema {
	o := wire.JSONSchema{"type": "object", "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

// described puts a sentence before the description of a schema. An empty sentence changes
// nothing. OpenAPI 3.1 allows a description beside a reference.
func described(s wire.JSONSchema, doc string) wire.JSONSchema {
	if doc == "" {
		return s
	}
	if said, ok := s["description"].(string); ok {
		doc += " " + said
	}
	s["description"] = doc
	return s
}

// noted puts a sentence behind the description of a schema. An empty sentence changes nothing.
func noted(s wire.JSONSchema, note string) wire.JSONSchema {
	if said, ok := s["description"].(string); ok && note != "" {
		s["description"] = said + " " + note
		return s
	}
	return described(s, note)
}

// ownSchema returns the schema that a type declares for itself, or nil. It reports a schema that
// is not valid. The type must not be a pointer.
func (s *schemas) ownSchema(t reflect.Type) wire.JSONSchema {
	if t.Kind() == reflect.Interface {
		return nil
	}
	described, ok := reflect.TypeAssert[datatype.SchemaTeller](reflect.New(t))
	if !ok {
		return nil
	}
	schema, err := readSchema(described.JSONSchemaBytes())
	if err != nil {
		s.fault(naming.Sentence("%s.JSONSchemaBytes: %w", t, err))
	}
	return schema
}

// readSchema reads a schema that the program declares. Numbers stay as they are written.
func readSchema(text []byte, err error) (wire.JSONSchema, error) {
	if err != nil {
		return wire.JSONSchema{}, err
	}
	var schema wire.JSONSchema
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&schema); err != nil {
		return wire.JSONSchema{}, naming.Sentence("it is no object of JSON: %w", err)
	}
	if schema == nil {
		return wire.JSONSchema{}, naming.Sentence("it is no object of JSON: it is null")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return schema, naming.Sentence("it has more than one value of JSON")
	}
	return schema, nil
}

// fault records a mistake in the declaration of a type or error shape, each mistake once.
func (s *schemas) fault(err error) {
	if !slices.ContainsFunc(s.faults, func(known error) bool { return known.Error() == err.Error() }) {
		s.faults = append(s.faults, err)
	}
}

// listed returns the schema of a type in a form. The values of a [datatype.Enumerated] type are
// its enum, if the form has all of them. It reports values that are not valid.
func (s *schemas) listed(t reflect.Type, in datatype.Form) wire.JSONSchema {
	schema := in.Schema(t)
	values, err := datatype.EnumValues(t)
	if err != nil {
		s.fault(err)
	}
	var all []any
	for _, v := range values {
		if value, ok := in.Value(v); ok {
			all = append(all, value)
		}
	}
	if len(all) > 0 && len(all) == len(values) {
		schema["enum"] = all
	}
	return schema
}

// literals returns the texts of a tag as JSON values, each as [literal] does: one that does not
// fit the types of the schema stays a text.
func literals(schema wire.JSONSchema, t reflect.Type, texts []string) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = literal(schema, t, text)
	}
	return values
}

// literal returns the text of a tag as a JSON value, if it is JSON of a type that the schema
// names. A schema without types takes any JSON, unless the Go type is a text. Otherwise, it
// returns the text.
func literal(schema wire.JSONSchema, t reflect.Type, text string) any {
	var value any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&value) != nil || dec.More() {
		return text
	}
	kinds := typesOf(schema)
	isNamed := func(kind string) bool { return slices.Contains(kinds, kind) }
	if len(kinds) == 0 && naming.Indirect(t).Kind() != reflect.String || slices.ContainsFunc(typesOfValue(value), isNamed) {
		return value
	}
	return text
}

// typesOfValue returns the types of JSON Schema that a value has, or nil for a string.
func typesOfValue(value any) []string {
	switch value := value.(type) {
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return []string{"number"}
		}
		return []string{"number", "integer"}
	case bool:
		return []string{"boolean"}
	case []any:
		return []string{"array"}
	case map[string]any:
		return []string{"object"}
	case nil:
		return []string{"null"}
	}
	return nil // quotes in a tag are part of its text
}
