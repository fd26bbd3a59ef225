package fieldrule

import (
	"reflect"
	"slices"

	"trestle.example/framework/internal/naming"
)

// OfType makes the mask of the answers of a function, by their type. known returns the mask of a
// type that is a view, and whether it is one. The result is nil if no member has a rule.
func OfType(t reflect.Type, known func(reflect.Type) (*Mask, bool)) *Mask {
	m := ofType(t, known, map[reflect.Type]*Mask{})
	for range m.Members() {
		return m
	}
	return nil
}

func ofType(t reflect.Type, known func(reflect.Type) (*Mask, bool), done map[reflect.Type]*Mask) *Mask {
	if t == nil {
		return nil
	}
	t = naming.Element(t)
	if t.Kind() == reflect.Map {
		return &Mask{each: ofType(t.Elem(), known, done)}
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	if m, isView := known(t); isView {
		return m
	}
	if done[t] != nil {
		return done[t]
	}
	m := NewMask(t)
	done[t] = m
	for f := range naming.ShapeFields(t) {
		if below := ofType(f.Type, known, done); below != nil {
			m.at(f.Index).below = below
		}
	}
	for f := range t.Fields() {
		if isEmbedded(f) {
			m.embed(f.Index, ofType(f.Type, known, done))
		}
	}
	return m
}

// embed adds the members of an embedded struct.
func (m *Mask) embed(at []int, of *Mask) {
	if of == nil {
		return
	}
	for name, one := range of.members {
		added := m.own(name, slices.Concat(at, one.index))
		added.rules, added.below = naming.AddNew(added.rules, one.rules), one.below
	}
}

// Join makes the mask that hides each member that one of several masks of a type hides.
func Join(masks ...*Mask) (joined *Mask) {
	for _, m := range masks {
		switch {
		case m == nil:
		case joined == nil:
			joined = m
		default:
			joined = joined.with(m)
		}
	}
	return joined
}

func (m *Mask) with(other *Mask) *Mask {
	both := NewMask(m.of)
	for _, one := range []*Mask{m, other} {
		for name, added := range one.members {
			member := both.own(name, added.index)
			member.rules = naming.AddNew(member.rules, added.rules)
			member.below = Join(member.below, added.below)
		}
	}
	return both
}
