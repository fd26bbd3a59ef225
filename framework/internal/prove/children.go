package prove

import (
	"slices"

	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// tryChildren changes a row that the sender may change, with a list of all its children, which the sender may not
// change in their own viewset.
func (p *prover) tryChildren(e *fixture.Endpoint) {
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
func (p *prover) changeChild(e *fixture.Endpoint, who *fixture.Person, pointer string) bool {
	for _, on := range p.RowsOf(e.Resource) {
		if !p.Permits(e, who, on) {
			continue
		}
		w := p.WriterLike(e, who, on, pointer)
		w.Used = map[string]fixture.Reference{}
		w.Body(e)
		ref := w.Used[pointer]
		if ref.Foreign == nil {
			return false
		}
		children := slices.DeleteFunc(slices.Clone(p.Made), func(one *fixture.Row) bool {
			return one.Table != ref.Table || one.Values[ref.Foreign.Name] != on.Values[ref.Base.Name]
		})
		if len(children) != 1 || !p.keptFrom(who, children[0]) {
			continue
		}
		w.Refs = map[string]string{pointer: children[0].Values[ref.Column.Name]}
		r, ok := p.RequestOf(e, w, on)
		if ok {
			p.perform(e, r, on)
		}
		return ok
	}
	return false
}
