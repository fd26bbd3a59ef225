package prove

import (
	"net/url"
	"strings"

	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/problem"
)

// tryCursors sends the cursors in the header Link of a list as each other caller: a cursor belongs to the
// caller who got it.
func (p *prover) tryCursors(e *fixture.Endpoint) {
	if !e.HasCursors() {
		return
	}
	for _, owner := range p.People {
		if e.Access(owner) == spec.AccessRefused {
			continue
		}
		r, ok := p.RequestOf(e, p.WriterLike(e, owner, nil, ""), nil)
		if !ok {
			continue
		}
		r.Small = true // so that a few rows have several pages
		link, isPage := strings.CutPrefix(p.Send(e, r).Header.Get(problem.HeaderLink), "<")
		link, relation, _ := strings.Cut(link, ">")
		at, err := url.Parse(link)
		if !isPage || err != nil || !strings.HasPrefix(relation, `; rel="next"`) && !strings.HasPrefix(relation, `; rel="prev"`) {
			continue
		}
		for _, who := range p.Others(owner) {
			other := r
			other.By, other.Query = who, at.RawQuery
			if got := p.Send(e, other); got.OK() {
				p.find(e, who, got.Curl(), "the cursor of another caller is accepted")
			}
		}
	}
}
