package framework

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A Checker is an input type with a rule that tags cannot express, such as one
// that compares two fields. Check runs on a body whose fields are all valid by
// themselves, for Create and Update as it was sent, for Patch on the row with
// the changes applied, and returns what is wrong, nil for nothing. Each
// [Fault] needs a Pointer (RFC 6901, from the input itself: "/ends_at"), a code
// and a sentence that the client reads. A nested input's Check runs with
// its own object, pointers counted from there.
//
// Check may have a value or a pointer receiver; it must not touch the database
// and is called by many requests at once, each with a value of its own.
type Checker interface {
	Check() []Fault
}

// maxFields is how many fields an input type may have, a bound of [fieldSet].
const maxFields = 256

// An inputShape is an input type compiled at registration: everything about it
// that reflection and tags can tell, so that a request only sets fields. It is
// used by many requests at once. The tags that it reads:
//
//	json:"name"          the client's name; the Go name without it, "-" leaves a field out
//	validate:"..."       rules as validator has them, of one value each
//	default:"booked"     what an absent field becomes, except in a PATCH
//	ref:"patients"       the viewset whose row the value names
//	trim:"-"             keeps white space at both ends of text
//	doc:"..."            a sentence for the reference
//	example:"..."        a value for the reference
//
// Required is about presence: 0 and false pass, blank text and empty slices do
// not. Filled is required without the presence: what is given must not be blank
// text nor an empty slice, and an absent field or null passes. Every other rule
// judges each value but null: max=120 takes blank text, min=1 and email do not.
// With omitempty the rules leave blank text, 0 and an empty slice alone. Rules
// after dive are for each element of a slice or map.
type inputShape struct {
	typ     reflect.Type
	fields  []*inputField // in order of declaration, embedded structs flattened
	byName  map[string]*inputField
	checker bool          // *typ has a Check method
	oneOf   []*inputField // at least one is required, see OneRequirer; nil for none
	book    *ruleBook
	readers *sync.Pool // of *bodyReader
}

// An inputField is one field of an input type, embedded ones included.
type inputField struct {
	name     string          // the client's name
	goName   string          // the name in Go
	place    string          // for a developer's eyes: "PatientInput.Name"
	index    []int           // for reflect.Value.FieldByIndex
	position int             // in inputShape.fields
	typ      reflect.Type    // as declared, pointer included
	required bool            // must be present, not null, not blank, not an empty slice
	nullable bool            // takes null: a pointer that is not required, or any JSON
	def      reflect.Value   // what an absent field becomes on POST and PUT; not to be changed
	hasDef   bool            // the tag default was given
	sent     json.RawMessage // the default as a client would send it
	ref      string          // the viewset whose row it names, "" for none
	doc      string          // the tag doc, for the reference
	example  string          // the tag example, for the reference
	enum     []string        // the values that there are, nil for any
	rules    []rule          // the rules of the field itself, without required and dive
	nested   *inputShape     // of struct, *struct and []struct
	value    *valuePlan
	fallback []byte // the default as JSON, where its value cannot be shared
}

// A rule is one term of a validate tag: {"max", "200"}.
type rule struct{ name, param string }

// names lists the client's names of all fields, in order of declaration.
func (s *inputShape) names() []string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return names
}

// in is the field inside v, a value of the shape's type.
func (f *inputField) in(v reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return v.Field(f.index[0])
	}
	return v.FieldByIndex(f.index)
}

// fill sets every field of v that has a default, those of nested structs too.
// v must be zero.
func (s *inputShape) fill(v reflect.Value) {
	for _, f := range s.fields {
		switch {
		case f.fallback != nil:
			r := s.readers.Get().(*bodyReader)
			r.value(f.value, f.fallback, f.in(v))
			s.release(r)
		case f.hasDef:
			f.in(v).Set(f.def)
		case f.nested != nil && f.typ.Kind() == reflect.Struct && !f.value.optional:
			f.nested.fill(f.in(v))
		}
	}
}

// compileInput compiles t, a struct type. It always returns a shape; the
// errors are the developer's mistakes, each a sentence that begins with its
// place ("PatientInput.Name: ..."), and with any of them the shape must not
// be used.
func compileInput(t reflect.Type) (*inputShape, []error) {
	c := &inputCompiler{book: newRuleBook(), done: map[reflect.Type]*inputShape{}}
	c.readers = &sync.Pool{New: func() any { return newBodyReader(c.book) }}
	if t.Kind() != reflect.Struct {
		c.mistakef(t.String(), "an input must be a struct, not a %s", t.Kind())
		return &inputShape{typ: t}, c.mistakes
	}
	return c.shape(t, shortName(t, "input")), c.mistakes
}

// An inputCompiler compiles one input type and those nested in it.
type inputCompiler struct {
	book     *ruleBook
	readers  *sync.Pool
	done     map[reflect.Type]*inputShape
	open     []reflect.Type // the structs that are being compiled, outermost first
	mistakes []error
}

func (c *inputCompiler) mistakef(place, format string, args ...any) {
	c.mistakes = append(c.mistakes, fmt.Errorf("%s: %s", place, fmt.Sprintf(format, args...)))
}

// shape compiles a struct; name is what mistakes call it.
func (c *inputCompiler) shape(t reflect.Type, name string) *inputShape {
	if s := c.done[t]; s != nil {
		return s
	}
	s := &inputShape{typ: t, byName: map[string]*inputField{}, checker: isChecker(t), book: c.book, readers: c.readers}
	if slices.Contains(c.open, t) {
		c.mistakef(name, "an input may not contain itself; use json.RawMessage, or a type with an UnmarshalJSON method, for what nests without end")
		return s
	}
	if readsItself(t) {
		c.mistakef(name, "an input may not have an UnmarshalJSON or UnmarshalText method, not even by embedding: its fields would not be seen; give the embedded type a field name")
		return s
	}
	c.open = append(c.open, t)
	c.flatten(s, t, nil, name)
	c.open = c.open[:len(c.open)-1]
	c.oneRequired(s, name)
	if len(s.fields) > maxFields {
		c.mistakef(name, "has %d fields; an input may have at most %d", len(s.fields), maxFields)
	}
	c.done[t] = s
	return s
}

// flatten adds the fields of t, which is the shape's type or embedded in it.
func (c *inputCompiler) flatten(s *inputShape, t reflect.Type, at []int, owner string) {
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
			c.field(s, sf, cmp.Or(name, sf.Name), index, place)
		}
	}
}

func (c *inputCompiler) embed(s *inputShape, t reflect.Type, index []int, place string) {
	if isChecker(t) && !s.checker {
		c.mistakef(place, "has a Check method that %s hides or shares; give %s a Check method that calls it", shortName(s.typ, "the input"), shortName(s.typ, "the input"))
	}
	c.flatten(s, t, index, shortName(t, place))
}

func (c *inputCompiler) field(s *inputShape, sf reflect.StructField, name string, index []int, place string) {
	if taken := s.byName[name]; taken != nil {
		c.mistakef(place, "is named %q like %s; give one of them another json name", name, taken.place)
		return
	}
	spec, errs := parseRules(sf.Tag.Get("validate"))
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
	f := &inputField{
		name: name, goName: sf.Name, place: place, index: index, position: len(s.fields), typ: sf.Type,
		required: value.required, nullable: value.nullable, rules: value.rules, enum: value.words(),
		ref: sf.Tag.Get("ref"), doc: sf.Tag.Get("doc"), example: sf.Tag.Get("example"), nested: value.shape(), value: value,
	}
	c.reference(f)
	c.fallback(f, sf.Tag)
	s.byName[name] = f
	s.fields = append(s.fields, f)
}

// reference checks that a field with the tag ref can hold a key.
func (c *inputCompiler) reference(f *inputField) {
	if f.ref == "" {
		return
	}
	t := f.value.typ
	if t != uuidType && t.Kind() != reflect.String && !isInteger(t.Kind()) {
		c.mistakef(f.place, "ref is for a key, a uuid.UUID, a string or an integer, not for %s", f.typ)
	}
}

// fallback works out what the field becomes when it is absent.
func (c *inputCompiler) fallback(f *inputField, tag reflect.StructTag) {
	f.def = reflect.New(f.typ).Elem()
	text, ok := tag.Lookup("default")
	if !ok {
		if f.nested != nil && f.typ.Kind() == reflect.Struct && !f.value.optional {
			f.nested.fill(f.def)
		}
		return
	}
	if f.value.optional {
		c.mistakef(f.place, "an Optional tells absent apart, so its default %q is never used; remove it", text)
		return
	}
	if f.required {
		c.mistakef(f.place, "is required, so its default %q is never used; remove one of the two", text)
		return
	}
	sent, detail := parseDefault(newBodyReader(c.book), f.value, text, f.def)
	if detail != "" {
		c.mistakef(f.place, "default %q %s", text, detail)
		return
	}
	f.hasDef, f.sent = true, sent
	if f.value.pointer || !isPlain(f.value.typ) {
		f.fallback = sent
	}
}

// plan says how a value of type t is read; nil after a mistake that leaves
// nothing to read into.
func (c *inputCompiler) plan(t reflect.Type, spec *ruleSpec, trim bool, place string) *valuePlan {
	if isOptional(t) {
		return c.optional(t, spec, trim, place)
	}
	p := &valuePlan{typ: t, trim: trim, required: spec.required, filled: spec.filled, omitZero: spec.omitZero, rules: spec.rules, tag: spec.tag()}
	if t.Kind() == reflect.Pointer {
		p.typ, p.pointer, p.nullable = t.Elem(), true, !spec.required
	}
	if !c.choose(p, spec, place) {
		return nil
	}
	if spec.elem != nil && p.elem == nil && p.nested == nil {
		c.mistakef(place, "rule \"dive\" is for slices and maps, not for %s", p.typ)
	}
	c.filled(p, place)
	for _, err := range c.book.fit(p) {
		c.mistakef(place, "%s", err)
	}
	p.limit = limitOf(p.rules)
	c.enumerated(p, place)
	p.unique = slices.ContainsFunc(p.rules, func(r rule) bool { return r.name == "unique" })
	return p
}

// filled checks that the rule filled can mean something.
func (c *inputCompiler) filled(p *valuePlan, place string) {
	if !p.filled {
		return
	}
	switch k := p.typ.Kind(); {
	case p.omitZero:
		c.mistakef(place, "rule \"filled\" refuses what is blank and \"omitempty\" allows it; remove one of the two")
	case p.required:
		c.mistakef(place, "rule \"required\" says what \"filled\" says; remove \"filled\"")
	case k != reflect.String && k != reflect.Slice || isJSON(p.typ):
		c.mistakef(place, "rule \"filled\" is for text and slices, not for %s", p.typ)
	}
}

// enumValues holds a plan to the values of its type.
func (c *inputCompiler) enumerated(p *valuePlan, place string) {
	values, err := enumValues(p.typ)
	if err != nil {
		c.mistakef(place, "%s", err)
	}
	p.values = values
	words := valueWords(values)
	for _, name := range enumOf(p.rules) {
		if values != nil && !slices.Contains(words, name) {
			c.mistakef(place, "the rule oneof names %q, which is no %s%s", name, p.typ, didYouMean(name, words))
		}
	}
}

// choose finds the reader for the plan's type.
func (c *inputCompiler) choose(p *valuePlan, spec *ruleSpec, place string) bool {
	if p.read = knownReader(p.typ); p.read == nil {
		p.read = kindReader(p.typ.Kind())
	}
	switch {
	case p.typ == timeType || p.typ == uuidType:
		p.trim = false
		return true
	case isJSON(p.typ):
		p.nullable = !p.required
		return true
	case p.read != nil:
		return true
	case p.typ.Kind() == reflect.Struct:
		return c.structPlan(p, place)
	case p.typ.Kind() == reflect.Slice:
		p.read = readSlice
		return c.elements(p, spec, place)
	case p.typ.Kind() == reflect.Map && p.typ.Key().Kind() == reflect.String && !readsItself(p.typ.Key()):
		p.read = readMap
		return c.elements(p, spec, place)
	}
	c.mistakef(place, "type %s is not supported; use text, numbers, bool, time.Time, uuid.UUID, json.RawMessage, structs, slices, maps by string, or a type with an UnmarshalJSON or UnmarshalText method", p.typ)
	return false
}

func (c *inputCompiler) structPlan(p *valuePlan, place string) bool {
	p.read, p.nested = readObject, c.shape(p.typ, shortName(p.typ, place))
	if len(p.nested.fields) == 0 && len(c.mistakes) == 0 {
		c.mistakef(place, "%s has no exported field, so nothing can be sent for it", p.typ)
	}
	return true
}

func (c *inputCompiler) elements(p *valuePlan, spec *ruleSpec, place string) bool {
	elem := spec.elem
	if elem == nil {
		elem = &ruleSpec{}
	}
	p.elem = c.plan(p.typ.Elem(), elem, p.trim, place)
	return p.elem != nil
}

// shape is what the plan's objects look like: of a struct, or of each element.
func (p *valuePlan) shape() *inputShape {
	for ; p != nil; p = p.elem {
		if p.nested != nil {
			return p.nested
		}
	}
	return nil
}

// words are the values that the plan takes, by its rules or its type; nil for
// any.
func (p *valuePlan) words() []string {
	if p.optional {
		return p.elem.words()
	}
	if listed := enumOf(p.rules); listed != nil {
		return listed
	}
	return valueWords(p.values)
}

func isInteger(k reflect.Kind) bool { return k >= reflect.Int && k <= reflect.Uint64 }

// isPlain reports whether a value may be shared by copying it.
func isPlain(t reflect.Type) bool {
	k := t.Kind()
	return t == timeType || t == uuidType || k == reflect.String || k == reflect.Bool || isInteger(k) || k == reflect.Float32 || k == reflect.Float64
}

func isChecker(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[Checker]())
}

// shortName is a type's own name, or other for a type without one.
func shortName(t reflect.Type, other string) string { return cmp.Or(t.Name(), other) }
