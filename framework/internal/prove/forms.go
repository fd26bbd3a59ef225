package prove

import (
	"maps"
	"net/http"
	"slices"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
)

// tryForms sends a write in its other forms, as the first caller who may: for an answer without a body, which has headers alone, and as a
// merge patch. What they may change and show is the same as for the usual request. The first caller who may not see or write
// a field sends them too, with the field and without it.
func (p *prover) tryForms(e *exchange.Endpoint) {
	if len(e.Forms()) == 0 || e.Bulk != nil {
		return
	}
	free, limited := false, false
	for _, who := range append(slices.Clone(p.People[2:]), p.Owner) {
		is := p.isLimited(e, who)
		if p.Broken != nil || is && limited || !is && free {
			continue
		}
		if on, usable := candidates.Own(p.Fixture, e, who); usable {
			p.sendForms(e, who, on)
			limited, free = limited || is, free || !is
		}
	}
}

// isLimited reports whether a rule keeps a field of the rows of an endpoint from a person, or a member of the body.
func (p *prover) isLimited(e *exchange.Endpoint, who *exchange.Person) bool {
	if fieldrule.AnyHides(p.CallOf(who, fixture.Listing(e.Resource)), e.Resource.Fields) {
		return true
	}
	for name := range e.Locks {
		if p.Lock(e, who, name) != nil {
			return true
		}
	}
	return false
}

// sendForms sends the forms of a write for a row of a person, or for no row.
func (p *prover) sendForms(e *exchange.Endpoint, who *exchange.Person, on *fixture.Row) {
	locks := slices.DeleteFunc(slices.Collect(maps.Keys(e.Locks)), func(name string) bool { return p.Lock(e, who, name) == nil })
	for _, form := range e.Forms() {
		p.sendForm(e, who, on, form, locks, true)
		if len(locks) > 0 {
			p.sendForm(e, who, on, form, locks, false)
		}
	}
}

// sendForm sends one form of a write, whose body may leave out some members that the person may not write.
func (p *prover) sendForm(e *exchange.Endpoint, who *exchange.Person, on *fixture.Row, form http.Header, locks []string, leaves bool) {
	w := p.WriterLike(e, who, on, "")
	for _, name := range locks {
		w.Left["/"+name] = leaves
	}
	if r, ok := p.RequestOf(e, w, on); ok && p.Broken == nil {
		maps.Copy(r.Header, form)
		p.Perform(e, r, on)
	}
}
