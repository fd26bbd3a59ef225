package fieldrule

import (
	"bytes"
	"iter"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
)

// A Mask has the members of a type of answers that some callers may not see. It does not change
// once it is compiled. A nil Mask hides nothing.
type Mask struct {
	of      reflect.Type // the struct that has the members; nil for a map
	members map[string]*member
	each    *Mask // of the values of a map
}

// A member is a member of an object that has rules, or members below it that have some.
type member struct {
	index []int
	rules []*Rule
	below *Mask
}

// NewMask makes the mask of a struct that hides nothing.
func NewMask(of reflect.Type) *Mask { return &Mask{of: of, members: map[string]*member{}} }

// Add adds rules about the field at an index, which may lead through structs and pointers.
func (m *Mask) Add(index []int, rules ...*Rule) {
	if m != nil && len(rules) > 0 {
		one := m.at(index)
		one.rules = naming.AddNew(one.rules, rules)
	}
}

// Nest adds the mask of the rows in the field at an index.
func (m *Mask) Nest(index []int, below *Mask) {
	if !below.Empty() {
		m.at(index).below = below
	}
}

// Empty reports whether the mask hides nothing.
func (m *Mask) Empty() bool { return m == nil || len(m.members) == 0 && m.each.Empty() }

// at returns the member of a field, which it adds.
func (m *Mask) at(index []int) *member {
	t := m.of
	for i, at := range index {
		f := t.Field(at)
		t = naming.Element(f.Type)
		switch {
		case isEmbedded(f):
			continue
		case i == len(index)-1:
			return m.own(naming.JSONName(f), index)
		}
		one := m.own(naming.JSONName(f), index[:i+1])
		if one.below == nil {
			one.below = NewMask(t)
		}
		return one.below.at(index[i+1:])
	}
	return &member{} // an embedded struct itself
}

func (m *Mask) own(name string, index []int) *member {
	if m.members[name] == nil {
		m.members[name] = &member{index: slices.Clone(index)}
	}
	return m.members[name]
}

// isEmbedded reports whether the members of a field's struct are members of the struct that has the
// field.
func isEmbedded(f reflect.StructField) bool {
	return f.Anonymous && f.Tag.Get("json") == "" && f.Type.Kind() == reflect.Struct
}

// Members yields each member that has a rule, with the rule.
func (m *Mask) Members() iter.Seq2[Member, *Rule] {
	return func(yield func(Member, *Rule) bool) { m.visit(map[*Mask]bool{}, yield) }
}

// A Member is a member of a struct.
type Member struct {
	Of   reflect.Type
	Name string // its name before Config.Case applies: that of the tag json, or else the Go name
}

func (m *Mask) visit(seen map[*Mask]bool, yield func(Member, *Rule) bool) bool {
	if m == nil || seen[m] {
		return true
	}
	seen[m] = true
	for name, one := range m.members {
		for _, r := range one.rules {
			if !yield(Member{m.of, name}, r) {
				return false
			}
		}
		if !one.below.visit(seen, yield) {
			return false
		}
	}
	return m.each.visit(seen, yield)
}

// Hidden returns the members that the caller may not see. It is nil if there are none.
func (m *Mask) Hidden(c *call.Call) *Hidden {
	if m == nil {
		return nil
	}
	h := &Hidden{mask: m, rules: map[*Rule]bool{}}
	for _, r := range m.Members() {
		if _, known := h.rules[r]; !known && r.Hides(c) {
			h.rules[r] = true
		}
	}
	if len(h.rules) == 0 {
		return nil
	}
	return h
}

// Hidden are the members of answers that one caller may not see. A nil Hidden hides nothing.
type Hidden struct {
	mask  *Mask
	rules map[*Rule]bool
}

func (h *Hidden) hides(one *member) bool {
	return slices.ContainsFunc(one.rules, func(r *Rule) bool { return h.rules[r] })
}

// Zero sets the hidden fields of a value to zero: a struct, or pointers and slices of structs.
func (h *Hidden) Zero(v reflect.Value) {
	if h != nil {
		h.zero(h.mask, v)
	}
}

func (h *Hidden) zero(m *Mask, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			h.zero(m, v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			h.zero(m, v.Index(i))
		}
	case reflect.Struct:
		for _, one := range m.members {
			f := v.FieldByIndex(one.index)
			if h.hides(one) {
				f.SetZero()
			} else if one.below != nil {
				h.zero(one.below, f)
			}
		}
	}
}

// Drops reports whether a member of the value itself is hidden.
func (h *Hidden) Drops(name string) bool {
	return h != nil && h.mask.members[name] != nil && h.hides(h.mask.members[name])
}

// Within returns what is hidden of the object in a member of the value; nil if nothing is.
func (h *Hidden) Within(name string) *Hidden {
	if h == nil || h.mask.members[name] == nil || h.mask.members[name].below == nil {
		return nil
	}
	return &Hidden{mask: h.mask.members[name].below, rules: h.rules}
}

// Drop returns JSON of the value without the hidden members. It leaves everything else as it is,
// except white space between tokens.
func (h *Hidden) Drop(text []byte) ([]byte, error) {
	if h == nil || text == nil {
		return text, nil
	}
	return h.value(h.mask, make([]byte, 0, len(text)), jsontext.NewDecoder(bytes.NewReader(text)))
}

func (h *Hidden) value(m *Mask, b []byte, dec *jsontext.Decoder) ([]byte, error) {
	switch kind := dec.PeekKind(); {
	case m == nil, kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray:
		value, err := dec.ReadValue()
		return append(b, value...), err
	case kind == jsontext.KindBeginArray:
		return h.array(m, b, dec)
	}
	return h.object(m, b, dec)
}

func (h *Hidden) array(m *Mask, b []byte, dec *jsontext.Decoder) ([]byte, error) {
	_, err := dec.ReadToken()
	b = append(b, '[')
	for first := true; err == nil && dec.PeekKind() != jsontext.KindEndArray; first = false {
		if !first {
			b = append(b, ',')
		}
		b, err = h.value(m, b, dec)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	return append(b, ']'), err
}

func (h *Hidden) object(m *Mask, b []byte, dec *jsontext.Decoder) ([]byte, error) {
	_, err := dec.ReadToken()
	b = append(b, '{')
	first := true
	for err == nil && dec.PeekKind() != jsontext.KindEndObject {
		var name jsontext.Value
		if name, err = dec.ReadValue(); err != nil {
			return nil, err
		}
		inner := m.each
		if one := m.members[string(name[1:len(name)-1])]; one != nil {
			if h.hides(one) {
				err = dec.SkipValue()
				continue
			}
			inner = one.below
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b, err = h.value(inner, append(append(b, name...), ':'), dec)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	return append(b, '}'), err
}
