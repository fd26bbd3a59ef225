package references

import (
	"maps"
	"slices"

	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/spec"
)

// tryChildren changes a row that the sender may change, with a list of all its children, which the sender may not
// change in their own viewset.
func (p prover) tryChildren(e *exchange.Endpoint) {
	if !e.Fills() || e.Input == nil || e.Spec.Key == nil || p.Broken != nil {
		return
	}
	for _, pointer := range p.referencesOf(e, nil) {
		for _, who := range p.People[2:] {
			if e.Access(who) != spec.AccessRefused && p.changeChild(e, who, pointer) {
				break
			}
		}
	}
}

// changeChild sends a body with the only child of a row, which others keep from the sender. It reports whether
// there is such a row.
func (p prover) changeChild(e *exchange.Endpoint, who *exchange.Person, pointer string) bool {
	rows := p.RowsOf(e.Resource)
	first := slices.IndexFunc(rows, func(on *fixture.Row) bool { return p.Permits(e, who, on) })
	if first < 0 {
		return false
	}
	w := p.WriterLike(e, who, rows[first], pointer)
	w.Used = map[string]fixture.Reference{}
	w.Body(e)
	ref := w.Used[pointer]
	if ref.Foreign == nil {
		return false
	}
	for _, on := range rows[first:] {
		children := slices.DeleteFunc(slices.Clone(p.Made), func(one *fixture.Row) bool {
			return one.Table != ref.Table || one.Values[ref.Foreign.Name] != on.Values[ref.Base.Name]
		})
		if len(children) != 1 || !p.Permits(e, who, on) || !p.KeptFrom(who, children[0]) {
			continue
		}
		w = p.WriterLike(e, who, on, pointer)
		w.Refs = map[string]string{pointer: children[0].Values[ref.Column.Name]}
		r, ok := p.RequestOf(e, w, on)
		if ok {
			p.Perform(e, r, on)
		}
		return ok
	}
	return false
}

// tryLinks gives rows of two callers the same list of a many-to-many relation, and then takes the list from one of
// them: the other one keeps its links.
func (p prover) tryLinks(e *exchange.Endpoint) {
	if !e.Fills() || e.Input == nil || e.Spec.Key == nil || p.Broken != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.Input.ByName)) {
		field := e.Input.ByName[name]
		if field.To == "" || field.Nested != nil {
			continue
		}
		var list any
		for _, who := range []*exchange.Person{p.People[2], p.Owner} {
			if list = p.link(e, who, name, list); list == nil {
				break
			}
		}
		if list != nil {
			p.link(e, p.Owner, name, []any{})
		}
	}
}

// link sends a list of a body for a row of a person, or the usual list for nil. It returns the list, nil if the request
// could not be made or was rejected.
func (p prover) link(e *exchange.Endpoint, who *exchange.Person, name string, list any) any {
	on, usable := candidates.Own(p.Fixture, e, who)
	if !usable {
		return nil
	}
	r, ok := p.RequestOf(e, p.WriterLike(e, who, on, "/"+name), on)
	if !ok {
		return nil
	}
	if list == nil {
		list = places.Member(e, r, name)
	}
	if some, isList := list.([]any); !isList || some == nil {
		return nil
	}
	r.Body = places.WithMember(e, r, name, list)
	if got, _ := p.Perform(e, r, on); !got.OK() {
		return nil
	}
	return list
}
