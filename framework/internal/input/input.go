package input

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/problem"
)

// suggest adds to the fault of a missing field the unknown name in the body that the
// client probably meant for the field. The input is at a pointer of the body, "" for its top.
func (s *Shape) suggest(d *Decoded, at string) {
	missing := func(f problem.Fault) bool { return f.Detail == missingDetail }
	if len(d.Unknown) == 0 || !slices.ContainsFunc(d.Faults, missing) {
		return
	}
	meant := map[string]string{}
	for _, unknown := range d.Unknown {
		if near := s.NearestPointer(unknown); meant[near] == "" {
			meant[near] = unknown
		}
	}
	for i, f := range d.Faults {
		if wrong := meant[f.Pointer]; wrong != "" && missing(f) {
			d.Faults[i].Detail += naming.Misplaced(at+wrong, at+f.Pointer)
		}
	}
}

// A Checker is an input type with a rule that tags cannot express, such as one
// that compares two fields. Check runs if no field has a fault. For Create and
// Update it checks the body with its defaults, and for Patch the row with the
// changes applied. It returns the faults, or nil if there are none. Each [Fault] needs a
// Pointer (RFC 6901, relative to the input: "/ends_at"), a code and a sentence for the
// client. The Check of a nested input checks the nested object, and its pointers are
// relative to that object.
//
// Check may have a value or a pointer receiver. It must not use the database. Many
// requests call it at the same time, each with its own value.
type Checker interface {
	Check() []problem.Fault
}

// maxFields is the maximum number of fields of an input type. A [fieldSet] has a bit for each.
const maxFields = 256

// A Shape is an input type compiled at registration: everything that reflection and tags
// say about it, so that a request only sets fields. It is safe for concurrent use. The tags
// that it reads:
//
//	json:"name"          the client's name; the Go name without it, "-" leaves a field out
//	validate:"..."       rules as validator has them, of one value each
//	default:"booked"     the value of an absent field, except at the top level of a PATCH
//	ref:"patients"       the viewset whose row the value names
//	to:"tags.name"       the relation whose rows the list sets
//	trim:"-"             keeps white space at both ends of text
//	doc:"..."            a sentence for the OpenAPI document
//	example:"..."        a value for the OpenAPI document
//
// A required field must be present: 0 and false pass, blank text and empty slices do
// not. With filled, a given value must not be blank text or an empty slice. The field may
// be absent, or null if its type accepts null. Every other rule judges each value except
// null: max=120 accepts blank text, min=1 and email do not. With omitempty the rules accept
// blank text, 0 and an empty slice. Rules after dive are for each element of a slice or map.
type Shape struct {
	Typ     reflect.Type
	Fields  []*Field // in order of declaration, embedded structs flattened
	ByName  map[string]*Field
	checker bool     // the type or a pointer to it has a Check method
	OneOf   []*Field // at least one is required, see OneRequirer; nil for none
	hasRefs bool     // a field is a reference, at any depth
	book    *rule.Book
	readers *sync.Pool // of *bodyReader
}

// A Field is one field of an input type or of a struct embedded in it.
type Field struct {
	Name     string          // the client's name
	GoName   string          // the name in Go
	Place    string          // its name in mistakes: "PatientInput.Name"
	Index    []int           // for reflect.Value.FieldByIndex
	position int             // in Shape.Fields
	Typ      reflect.Type    // as declared, pointer included
	Required bool            // must be present, not null, not blank, not an empty slice
	nullable bool            // accepts null: a pointer or any JSON, if not required
	def      reflect.Value   // the value of an absent field on POST and PUT; not to be changed
	HasDef   bool            // the tag default was given
	Sent     json.RawMessage // the default as a client would send it
	Ref      string          // the viewset whose row it names, "" for none
	To       string          // the tag to: the relation whose rows the list sets, "" for none
	Sets     string          // a sentence about what the tag to sets, for the reference
	Doc      string          // the tag doc, for the reference
	Example  string          // the tag example, for the reference
	Enum     []string        // the allowed values, nil for any value
	Rules    []rule.Rule     // of the field itself, without required, filled, omitempty and dive
	Nested   *Shape          // of a struct, also in a pointer, Optional, slice or map; else nil
	Value    *ValuePlan
	fallback []byte // the default as JSON, where its value cannot be shared
}

// Add adds a rule to the field, unless the field has it. It must not be called during requests.
func (f *Field) Add(r rule.Rule) {
	if !slices.Contains(f.Value.Rules, r) {
		f.Value.Rules = append(slices.Clip(f.Value.Rules), r)
		f.Rules, f.Value.Tag = f.Value.Rules, rule.Tag(f.Value.Rules)
		f.Value.bounds()
	}
}

// names lists the client's names of all fields, in order of declaration.
func (s *Shape) names() []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
}

// in is the field inside v, a value of the shape's type.
func (f *Field) in(v reflect.Value) reflect.Value {
	if len(f.Index) == 1 {
		return v.Field(f.Index[0])
	}
	return v.FieldByIndex(f.Index)
}

// fill sets every field of v that has a default, those of nested structs too, but not
// those behind pointers. It does not reset the other fields.
func (s *Shape) fill(v reflect.Value) {
	for _, f := range s.Fields {
		switch {
		case f.fallback != nil:
			r := s.readers.Get().(*bodyReader)
			r.value(f.Value, f.fallback, f.in(v))
			s.release(r)
		case f.HasDef:
			f.in(v).Set(f.def)
		case f.Nested != nil && f.Typ.Kind() == reflect.Struct && !f.Value.Optional:
			f.Nested.fill(f.in(v))
		}
	}
}

// CompileInput compiles t, which must be a struct type, with the rules of the program. It
// always returns a shape. The errors are the developer's mistakes: each is a sentence that
// begins with its place ("PatientInput.Name: ..."). If there is an error, the shape must not be used.
func CompileInput(t reflect.Type, own ...rule.Own) (*Shape, []error) {
	return CompileInputIn(naming.AsInGo, t, own...)
}

// CompileInputIn compiles t as [CompileInput] does, with the names of fields in a case.
func CompileInputIn(names naming.Case, t reflect.Type, own ...rule.Own) (*Shape, []error) {
	c := &inputCompiler{book: rule.NewBook(own...), names: names, done: map[reflect.Type]*Shape{}}
	c.readers = &sync.Pool{New: func() any { return newBodyReader(c.book) }}
	if t.Kind() != reflect.Struct {
		c.mistakef(t.String(), "an input must be a struct, not a %s", t.Kind())
		return &Shape{Typ: t}, c.mistakes
	}
	return c.shape(t, naming.ShortName(t, "input")), c.mistakes
}

// An inputCompiler compiles one input type and those nested in it.
type inputCompiler struct {
	book     *rule.Book
	names    naming.Case
	readers  *sync.Pool
	done     map[reflect.Type]*Shape
	open     []reflect.Type // the structs that are being compiled, outermost first
	mistakes []error
}

func (c *inputCompiler) mistakef(place, format string, args ...any) {
	c.mistakes = append(c.mistakes, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
}

// shape compiles a struct. Mistakes contain name as the name of the struct.
func (c *inputCompiler) shape(t reflect.Type, name string) *Shape {
	if s := c.done[t]; s != nil {
		return s
	}
	s := &Shape{Typ: t, ByName: map[string]*Field{}, checker: isChecker(t), book: c.book, readers: c.readers}
	if slices.Contains(c.open, t) {
		c.mistakef(name, "an input may not contain itself; use json.RawMessage, or a type with an UnmarshalJSON method, for what nests without end")
		return s
	}
	if datatype.ReadsItself(t) {
		c.mistakef(name, "an input may not have an UnmarshalJSON or UnmarshalText method, not even by embedding: its fields would not be seen; give the embedded type a field name")
		return s
	}
	c.open = append(c.open, t)
	c.flatten(s, t, nil, name)
	c.open = c.open[:len(c.open)-1]
	c.oneRequired(s, name)
	s.hasRefs = slices.ContainsFunc(s.Fields, (*Field).Refers)
	if len(s.Fields) > maxFields {
		c.mistakef(name, "has %d fields; an input may have at most %d", len(s.Fields), maxFields)
	}
	c.done[t] = s
	return s
}

// flatten adds the fields of t, which is the shape's type or embedded in it.
func (c *inputCompiler) flatten(s *Shape, t reflect.Type, at []int, owner string) {
	for i := range t.NumField() {
		sf := t.Field(i)
		place, index := owner+"."+sf.Name, slices.Concat(at, []int{i})
		tag, tagged := sf.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
		case sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Struct:
			c.embed(s, sf.Type, index, place)
		case sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Pointer && sf.Type.Elem().Kind() == reflect.Struct:
			c.mistakef(place, "embed the struct itself, not a pointer to it")
		case !sf.IsExported() && tagged:
			c.mistakef(place, "is not exported, so it cannot be set; export it or remove its json tag")
		case !sf.IsExported():
		case slices.Contains(strings.Split(options, ","), "string"):
			c.mistakef(place, "the json option \"string\" is not supported; a number is sent as a number")
		default:
			c.field(s, sf, cmp.Or(name, c.names.Of(sf.Name)), index, place)
		}
	}
}

func (c *inputCompiler) embed(s *Shape, t reflect.Type, index []int, place string) {
	if isChecker(t) && !s.checker {
		c.mistakef(place, "has a Check method that %s hides or shares; give %s a Check method that calls it", naming.ShortName(s.Typ, "the input"), naming.ShortName(s.Typ, "the input"))
	}
	c.flatten(s, t, index, naming.ShortName(t, place))
}

func (c *inputCompiler) field(s *Shape, sf reflect.StructField, name string, index []int, place string) {
	if taken := s.ByName[name]; taken != nil {
		c.mistakef(place, "is named %q like %s; give one of them another json name", name, taken.Place)
		return
	}
	spec, errs := rule.Parse(sf.Tag.Get("validate"))
	for _, err := range errs {
		c.mistakef(place, "%s", err)
	}
	trim, ok := sf.Tag.Lookup("trim")
	if ok && trim != "-" {
		c.mistakef(place, "tag trim is %q, and only \"-\" means something: keep white space at the ends", trim)
	}
	value := c.plan(sf.Type, spec, trim != "-", place)
	if value == nil {
		return
	}
	f := &Field{
		Name: name, GoName: sf.Name, Place: place, Index: index, position: len(s.Fields), Typ: sf.Type,
		Required: value.Required, nullable: value.Nullable, Rules: value.Rules, Enum: value.words(),
		Ref: sf.Tag.Get("ref"), To: sf.Tag.Get("to"), Doc: sf.Tag.Get("doc"), Example: sf.Tag.Get("example"), Nested: value.shape(), Value: value,
	}
	c.reference(f)
	c.fallback(f, sf.Tag)
	s.ByName[name] = f
	s.Fields = append(s.Fields, f)
}

// reference checks that a field with the tag ref can hold a key, or a list of keys.
func (c *inputCompiler) reference(f *Field) {
	if f.Ref == "" {
		return
	}
	t := f.KeyType()
	if t != naming.UUIDType && t.Kind() != reflect.String && !naming.IsInteger(t.Kind()) {
		c.mistakef(f.Place, "ref is for a key, a uuid.UUID, a string or an integer, or for a list of them, not for %s", f.Typ)
	}
}

// fallback sets the default of the field: the value that it has when it is absent.
func (c *inputCompiler) fallback(f *Field, tag reflect.StructTag) {
	f.def = reflect.New(f.Typ).Elem()
	text, ok := tag.Lookup("default")
	if !ok {
		if f.Nested != nil && f.Typ.Kind() == reflect.Struct && !f.Value.Optional {
			f.Nested.fill(f.def)
		}
		return
	}
	if f.Value.Optional {
		c.mistakef(f.Place, "an Optional stays absent when the body lacks it, so its default %q is never used; remove it", text)
		return
	}
	if f.Required {
		c.mistakef(f.Place, "is required, so its default %q is never used; remove one of the two", text)
		return
	}
	sent, detail := parseDefault(newBodyReader(c.book), f.Value, text, f.def)
	if detail != "" {
		c.mistakef(f.Place, "default %q %s", text, detail)
		return
	}
	f.HasDef, f.Sent = true, sent
	if f.Value.pointer || !datatype.IsPlain(f.Value.Typ) {
		f.fallback = sent
	}
}

// plan returns how a value of type t is read, or nil if values of t cannot be read.
func (c *inputCompiler) plan(t reflect.Type, spec *rule.Spec, trim bool, place string) *ValuePlan {
	if isOptional(t) {
		return c.optional(t, spec, trim, place)
	}
	p := &ValuePlan{Typ: t, trim: trim, Required: spec.Required, Filled: spec.Filled, OmitZero: spec.OmitZero, Rules: spec.Rules, Tag: rule.Tag(spec.Rules)}
	if t.Kind() == reflect.Pointer {
		p.Typ, p.pointer, p.Nullable = t.Elem(), true, !spec.Required
	}
	if !c.choose(p, spec, place) {
		return nil
	}
	if spec.Elem != nil && p.Elem == nil && p.Nested == nil {
		c.mistakef(place, "rule \"dive\" is for slices and maps, not for %s", p.Typ)
	}
	c.filled(p, place)
	c.rules(p, place)
	p.bounds()
	c.enumerated(p, place)
	p.kind = datatype.SchemaKind(p.Typ)
	return p
}

// bounds stores what the rules of the plan mean for its reader.
func (p *ValuePlan) bounds() {
	has := func(name string) bool {
		return slices.ContainsFunc(p.Rules, func(r rule.Rule) bool { return r.Name == name })
	}
	p.limit, p.line = rule.MaxItems(p.Rules), has("line")
	p.partTag = rule.Tag(slices.DeleteFunc(slices.Clone(p.Rules), func(r rule.Rule) bool { return r.Name == "unique" }))
}

// rules checks the rules of the plan, and writes their bounds as the values that validator compares.
func (c *inputCompiler) rules(p *ValuePlan, place string) {
	if err := datatype.CheckType(p.Typ); err != nil {
		c.mistakef(place, "%s: %s", p.Typ, err)
		return
	}
	rules, own, mistakes := c.book.Split(p.Rules, p.Typ)
	rules, outside := rule.WithBounds(rules, p.Typ)
	p.Rules, p.Tag, p.Own = rules, rule.Tag(rules), own
	for _, err := range append(mistakes, outside...) {
		c.mistakef(place, "%s", err)
	}
	for _, r := range p.Rules {
		if err := c.book.Fit(r, p.Typ); err != nil {
			c.mistakef(place, "%s", err)
		}
	}
}

// filled records a mistake if the rule filled contradicts another rule or the type.
func (c *inputCompiler) filled(p *ValuePlan, place string) {
	if !p.Filled {
		return
	}
	switch k := p.Typ.Kind(); {
	case p.OmitZero:
		c.mistakef(place, "rule \"filled\" rejects a blank value and \"omitempty\" accepts it; remove one of the two")
	case p.Required:
		c.mistakef(place, "rule \"required\" includes \"filled\"; remove \"filled\"")
	case k != reflect.String && k != reflect.Slice || datatype.IsJSON(p.Typ):
		c.mistakef(place, "rule \"filled\" is for text and slices, not for %s", p.Typ)
	}
}

// enumerated stores the values of an Enumerated type in the plan, and checks oneof against them.
func (c *inputCompiler) enumerated(p *ValuePlan, place string) {
	values, err := datatype.EnumValues(p.Typ)
	if err != nil {
		c.mistakef(place, "%s", err)
	}
	p.Values = values
	words := datatype.ValueWords(values)
	for _, name := range rule.Allowed(p.Rules) {
		if values != nil && !slices.Contains(words, name) {
			c.mistakef(place, "the rule oneof names %q, which is no %s%s", name, p.Typ, naming.DidYouMean(name, words))
		}
	}
}

// choose sets the reader for the plan's type. It returns false after a mistake in the type.
func (c *inputCompiler) choose(p *ValuePlan, spec *rule.Spec, place string) bool {
	if p.read = knownReader(p.Typ); p.read == nil {
		p.read = kindReader(p.Typ.Kind())
	}
	switch {
	case p.Typ == naming.TimeType || p.Typ == naming.UUIDType:
		p.trim = false
		return true
	case datatype.IsJSON(p.Typ):
		p.Nullable = !p.Required
		return true
	case p.read != nil:
		return true
	case p.Typ.Kind() == reflect.Struct:
		return c.structPlan(p, place)
	case p.Typ.Kind() == reflect.Slice:
		p.read = readSlice
		return c.elements(p, spec, place)
	case p.Typ.Kind() == reflect.Map && p.Typ.Key().Kind() == reflect.String && !datatype.ReadsItself(p.Typ.Key()):
		p.read = readMap
		return c.elements(p, spec, place)
	}
	c.mistakef(place, "type %s is not supported; use text, numbers, bool, time.Time, uuid.UUID, json.RawMessage, structs, slices, maps by string, or a type with an UnmarshalJSON or UnmarshalText method", p.Typ)
	return false
}

func (c *inputCompiler) structPlan(p *ValuePlan, place string) bool {
	p.read, p.Nested = readObject, c.shape(p.Typ, naming.ShortName(p.Typ, place))
	if len(p.Nested.Fields) == 0 && len(c.mistakes) == 0 {
		c.mistakef(place, "%s has no exported field, so nothing can be sent for it", p.Typ)
	}
	return true
}

func (c *inputCompiler) elements(p *ValuePlan, spec *rule.Spec, place string) bool {
	elem := spec.Elem
	if elem == nil {
		elem = &rule.Spec{}
	}
	p.Elem = c.plan(p.Typ.Elem(), elem, p.trim, place)
	return p.Elem != nil
}

// shape returns the shape of the plan's struct or of the structs in it, or nil without a struct.
func (p *ValuePlan) shape() *Shape {
	for ; p != nil; p = p.Elem {
		if p.Nested != nil {
			return p.Nested
		}
	}
	return nil
}

// words returns the values that the plan accepts: those of its rule oneof, or else those of
// its Enumerated type. It returns nil if every value is accepted.
func (p *ValuePlan) words() []string {
	if p.Optional {
		return p.Elem.words()
	}
	if listed := rule.Allowed(p.Rules); listed != nil {
		return listed
	}
	return datatype.ValueWords(p.Values)
}

// LeavesNone reports whether an absent field gets the zero value although its Enumerated
// type does not list it, or although it is no address of the Internet, which no column can have.
func (f *Field) LeavesNone() bool {
	p := f.Value
	zero := reflect.Zero(p.Typ)
	none := p.Values != nil && !datatype.IsAmong(zero, p.Values) || isInvalidIP(zero)
	return none && !p.pointer && !f.Required && !f.HasDef
}

func isChecker(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[Checker]())
}
