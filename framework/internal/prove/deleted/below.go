package deleted

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/reach"
	"trestle.example/framework/internal/spec"
)

// tryBelow sends the requests of endpoints of no row below a row that is deleted softly, as the person who made the row and as a superuser:
// the answers must be those below a row that does not exist.
func (p prover) tryBelow(one *fixture.Row) {
	for _, e := range p.Endpoints {
		if isBelow(e, one) && e.Spec.Key == nil {
			p.reachBelow(e, one, nil)
		}
	}
}

// isBelow reports whether an endpoint is directly below rows of a viewset that is kept from a deleted row.
func isBelow(e *exchange.Endpoint, one *fixture.Row) bool {
	above := e.Resource.Above
	return above != nil && above.Parent.Table.Name == one.Table && fixture.DeletedFor(above.Parent, one)
}

// reachBelow sends the request of an endpoint below a deleted row, for a row below it or nil for none.
func (p prover) reachBelow(e *exchange.Endpoint, above, below *fixture.Row) {
	parent := e.Resource.Above.Parent
	for _, who := range []*exchange.Person{above.By, p.People[len(p.People)-1]} {
		keys, ok := p.KeysAbove(parent, who, above)
		if !ok || p.showsErased(who, parent, above) || e.Access(who) == spec.AccessRefused {
			continue
		}
		r := exchange.Request{Method: e.Info.Method, By: who, Header: http.Header{}}
		r.Path = p.PathUnder(e, who, below, append(slices.Clip(keys), above.Key(parent)))
		r.Query, r.Body = p.WriterLike(e, who, below, "").Content(e)
		before := p.Contents()
		reach.By(p.Checker, e, r, parent, above, false, true)
		if erased := withDeleted(r); p.SeesErased(e, erased) {
			reach.By(p.Checker, e, erased, parent, above, false, true)
		}
		if changed := before.ChangedIn(p.Contents()); len(changed) > 0 {
			p.Find(e, who, r.Curl(), "it changes %s below a row that is deleted", strings.Join(changed, ", "))
		}
	}
}

// tryKept makes a row with rows below it, a deleted one and another one in each viewset below, and deletes the row. If those below stay in the
// database, they must be as rows that do not exist.
func (p prover) tryKept(e, maker *exchange.Endpoint, who *exchange.Person) {
	if !slices.ContainsFunc(p.Endpoints, func(of *exchange.Endpoint) bool {
		return of.Resource.Above != nil && of.Resource.Above.Parent == e.Resource
	}) {
		return
	}
	above := p.another(maker, who)
	if above == nil {
		return
	}
	gone := p.makeBelow(who, above)
	for _, one := range gone {
		p.deleteBelow(who, one)
	}
	below := append(p.makeBelow(who, above), gone...)
	if len(below) == 0 {
		return
	}
	if got, _ := p.Succeed(e, who, above); got == nil || !got.OK() {
		return // the database keeps the row for those below
	}
	for _, one := range below {
		for _, of := range p.Endpoints {
			if isBelow(of, above) && of.Spec.Key != nil && of.Resource.Table.Name == one.Table && slices.Contains(p.Made, one) {
				p.reachBelow(of, above, one)
			}
		}
	}
}

// deleteBelow deletes a row below another one.
func (p prover) deleteBelow(who *exchange.Person, one *fixture.Row) {
	for _, e := range p.Endpoints {
		if e.Kind == declare.VerbDeletes && e.Bulk == nil && e.Resource.Above != nil && e.Resource.Table.Name == one.Table && p.Permits(e, who, one) {
			_, _ = p.Succeed(e, who, one)
			return
		}
	}
}

// makeBelow makes a row below a row in each viewset below it.
func (p prover) makeBelow(who *exchange.Person, above *fixture.Row) (below []*fixture.Row) {
	for _, maker := range p.Endpoints {
		in := maker.Resource.Above
		makes := maker.Makes() && maker.Fills() && maker.Bulk == nil && maker.Access(who) != spec.AccessRefused
		if !makes || in == nil || in.Parent.Table.Name != above.Table || !p.Sees(who, in.Parent, above) {
			continue
		}
		keys, ok := p.KeysAbove(in.Parent, who, above)
		if !ok {
			continue
		}
		r := exchange.Request{Method: maker.Info.Method, By: who, Header: http.Header{}, Path: maker.PathBelow(append(slices.Clip(keys), above.Key(in.Parent)))}
		r.Body = p.WriterLike(maker, who, nil, "").Body(maker)
		_, fresh := p.Perform(maker, r, nil)
		below = append(below, p.served(fresh)...)
	}
	return below
}
