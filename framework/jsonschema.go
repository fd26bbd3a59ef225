package framework

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A jsonSchema is a JSON Schema (2020-12), as OpenAPI 3.1 has it.
type jsonSchema = map[string]any

// A SchemaTeller is a type of one's own that is read or written as JSON by its
// own methods: without this, the reference says that it may be anything.
type SchemaTeller interface {
	// JSONSchemaBytes returns the JSON Schema of its values. It is asked of
	// the type's zero value.
	JSONSchemaBytes() ([]byte, error)
}

// schemas gathers the named schemas of a document while it is written.
type schemas struct {
	named  map[string]jsonSchema
	names  map[component]string
	beside map[reflect.Type]map[string]*inputField // by what is shown, the fields of what is taken
	faults []error
}

// A component is a schema with a name of its own: a type as it is shown, as it
// is taken, or as PATCH takes it.
type component struct {
	typ     reflect.Type
	partial bool
	strict  bool
	input   bool
}

func newSchemas(resources []*resource) *schemas {
	s := &schemas{named: map[string]jsonSchema{}, names: map[component]string{}, beside: map[reflect.Type]map[string]*inputField{}}
	for _, r := range resources {
		for _, v := range r.declaration.verbs.named() {
			s.shownBeside(r, v.out)
		}
	}
	return s
}

// shownBeside learns what the inputs of a resource's verbs say of fields that a
// shape of its verbs shows by the same name and type.
func (s *schemas) shownBeside(r *resource, out reflect.Type) {
	if out == nil || out.Kind() != reflect.Struct || s.beside[out] != nil {
		return
	}
	s.beside[out] = map[string]*inputField{}
	for _, v := range r.declaration.verbs.named() {
		shape := r.inputs[v.in]
		if shape == nil {
			continue
		}
		for f := range shapeFields(out) {
			in := shape.byName[jsonName(f)]
			if in != nil && s.beside[out][in.name] == nil && indirect(in.typ) == indirect(f.Type) {
				s.beside[out][in.name] = in
			}
		}
	}
}

// name gives a component its name and reports whether it is new. It depends on
// the type alone, so that it stays when other types come; only two that would
// have one name are told apart, the later one by its package.
func (s *schemas) name(c component) (name string, fresh bool) {
	if known, ok := s.names[c]; ok {
		return known, false
	}
	base := c.base()
	candidates := []string{base, title(packageName(c.typ)) + base}
	if c.strict {
		candidates = slices.Insert(candidates, 1, "Strict"+base)
	}
	at := slices.IndexFunc(candidates, func(name string) bool { return s.named[name] == nil })
	if at >= 0 {
		name = candidates[at]
	}
	for n := 2; name == ""; n++ {
		if free := base + strconv.Itoa(n); s.named[free] == nil {
			name = free
		}
	}
	s.names[c], s.named[name] = name, jsonSchema{}
	return name, true
}

// base is what a component is called: a shape as its type, less the word that
// says what it is for; an input with that word.
func (c component) base() string {
	name := title(plainName(c.typ))
	patch := strings.HasSuffix(name, "Patch")
	switch {
	case !c.input:
		return cmp.Or(strings.TrimSuffix(strings.TrimSuffix(name, "View"), "Input"), name)
	case !patch && !strings.HasSuffix(name, "Input"):
		name += "Input"
	}
	if c.partial && !patch {
		return "Patched" + name
	}
	return name
}

// plainName is a type's name without packages and type arguments' brackets.
func plainName(t reflect.Type) string {
	var parts []string
	for _, part := range strings.FieldsFunc(t.Name(), func(r rune) bool { return strings.ContainsRune("[], ", r) }) {
		parts = append(parts, title(part[strings.LastIndexAny(part, "./")+1:]))
	}
	if len(parts) == 0 {
		return "Object"
	}
	return strings.Join(parts, "")
}

func packageName(t reflect.Type) string { return t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:] }

// title makes a name that begins a word: "users_view" is "UsersView".
func title(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		first, size := utf8.DecodeRuneInString(word)
		b.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	return b.String()
}

func schemaOf(name string) jsonSchema { return jsonSchema{"$ref": "#/components/schemas/" + name} }

// nullable lets a schema be null too.
func nullable(s jsonSchema) jsonSchema {
	kind, plain := s["type"].(string)
	if !plain {
		if len(s) == 0 {
			return s // anything
		}
		return jsonSchema{"anyOf": []any{s, jsonSchema{"type": "null"}}}
	}
	s["type"] = []any{kind, "null"}
	if values, listed := s["enum"].([]any); listed {
		s["enum"] = append(slices.Clip(values), nil)
	}
	return s
}

// out is the schema of values that the API writes.
func (s *schemas) out(t reflect.Type) jsonSchema {
	if known := s.scalar(t); known != nil {
		return known
	}
	switch t.Kind() {
	case reflect.Pointer:
		return nullable(s.out(t.Elem()))
	case reflect.Slice, reflect.Array:
		return jsonSchema{"type": "array", "items": s.out(t.Elem())}
	case reflect.Map:
		return jsonSchema{"type": "object", "additionalProperties": s.out(t.Elem())}
	case reflect.Struct:
		return s.shown(t)
	}
	return jsonSchema{}
}

// shown is a struct as it is written: every field is there, unless its tag
// leaves it out when it is empty.
func (s *schemas) shown(t reflect.Type) jsonSchema {
	name, fresh := s.name(component{typ: t})
	if !fresh {
		return schemaOf(name)
	}
	properties, required := members{}, []any{}
	for f := range shapeFields(t) {
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		typ := f.Type
		if omitted {
			typ = indirect(typ)
		} else {
			required = append(required, jsonName(f))
		}
		properties.add(jsonName(f), s.field(t, f, typ))
	}
	s.named[name] = object(properties, required)
	return schemaOf(name)
}

// field is one field of a shape as it is written, with the values that its
// rules list. What it does not say of itself is as the input has it that the
// shape is shown beside.
func (s *schemas) field(shape reflect.Type, f reflect.StructField, t reflect.Type) jsonSchema {
	told := s.out(t)
	spec, _ := parseRules(f.Tag.Get("validate"))
	if values := enumOf(spec.rules); values != nil && told["type"] != nil && told["enum"] == nil {
		listed := literals(t, values)
		if t.Kind() == reflect.Pointer {
			listed = append(listed, nil)
		}
		told["enum"] = listed
	}
	doc, example := f.Tag.Get("doc"), f.Tag.Get("example")
	if in := s.beside[shape][jsonName(f)]; in != nil {
		doc, example = cmp.Or(doc, in.doc), cmp.Or(example, in.example)
	}
	if example != "" {
		told["examples"] = []any{literal(t, example)}
	}
	return described(told, doc)
}

func object(properties members, required []any) jsonSchema {
	o := jsonSchema{"type": "object", "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

// described adds a sentence, beside a reference too: OpenAPI 3.1 allows both.
func described(s jsonSchema, doc string) jsonSchema {
	if doc == "" {
		return s
	}
	if said, ok := s["description"].(string); ok {
		doc += " " + said
	}
	s["description"] = doc
	return s
}

// scalar is the schema of a plain value or of a type that tells its own; nil
// for anything that has parts.
func (s *schemas) scalar(t reflect.Type) jsonSchema {
	if told := s.told(t); told != nil {
		return told
	}
	switch {
	case t == timeType:
		return jsonSchema{"type": "string", "format": "date-time"}
	case t == uuidType:
		return jsonSchema{"type": "string", "format": "uuid"}
	case isJSON(t), t.Kind() == reflect.Interface:
		return jsonSchema{}
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return jsonSchema{"type": []any{"string", "null"}, "contentEncoding": "base64"}
	case t.Kind() != reflect.Pointer && speaksJSON(t):
		return jsonSchema{}
	case t.Kind() != reflect.Pointer && speaksText(t):
		return jsonSchema{"type": "string"}
	}
	return kindSchema(t.Kind())
}

func kindSchema(k reflect.Kind) jsonSchema {
	switch k {
	case reflect.Bool:
		return jsonSchema{"type": "boolean"}
	case reflect.String:
		return jsonSchema{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return jsonSchema{"type": "number"}
	case reflect.Int64, reflect.Int:
		return jsonSchema{"type": "integer", "format": "int64"}
	case reflect.Uint64, reflect.Uint:
		return jsonSchema{"type": "integer", "format": "int64", "minimum": 0}
	}
	if isInteger(k) {
		return smallInteger(k)
	}
	return nil
}

// smallInteger has bounds of its own.
func smallInteger(k reflect.Kind) jsonSchema {
	bits := map[reflect.Kind]int{
		reflect.Int8: 7, reflect.Int16: 15, reflect.Int32: 31, reflect.Uint8: 8, reflect.Uint16: 16, reflect.Uint32: 32,
	}[k]
	least := int64(0)
	if k <= reflect.Int64 {
		least = -1 << bits
	}
	return jsonSchema{"type": "integer", "minimum": least, "maximum": int64(1)<<bits - 1}
}

// told is what a type says of itself, nil if it says nothing.
func (s *schemas) told(t reflect.Type) jsonSchema {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return nil
	}
	zero := reflect.New(t).Interface()
	if teller, ok := zero.(SchemaTeller); ok {
		text, err := teller.JSONSchemaBytes()
		told := jsonSchema{}
		if err == nil {
			err = json.Unmarshal(text, &told)
		}
		if err != nil {
			s.faults = append(s.faults, sentence("%s.JSONSchemaBytes: %w", t, err))
		}
		return told
	}
	return s.listed(t)
}

// listed is an [Enumerated] type with its values, nil for any other.
func (s *schemas) listed(t reflect.Type) jsonSchema {
	values, err := enumerated(t)
	if err != nil {
		s.faults = append(s.faults, err)
	}
	if len(values) == 0 {
		return nil
	}
	kind := kindSchema(t.Kind())
	if speaksJSON(t) || speaksText(t) {
		kind = jsonSchema{} // as whatever its values are written
	}
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v.Interface()
	}
	kind["enum"] = all
	return kind
}

// speaksJSON reports whether a type has a form of its own in JSON.
func speaksJSON(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[json.Unmarshaler]())
}

// speaksText reports whether a type is text of a form of its own.
func speaksText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// literals are texts as values of a type.
func literals(t reflect.Type, texts []string) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = literal(t, text)
	}
	return values
}

// literal is a text of a tag as a value of JSON: as it is where it is JSON of
// the type's kind, else as text.
func literal(t reflect.Type, text string) any {
	var value any
	if indirect(t).Kind() != reflect.String && json.Unmarshal([]byte(text), &value) == nil {
		return value
	}
	return text
}
