package reach

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// tryBelow sends the requests of an endpoint below a row of another caller: the answers must be those
// below a row that does not exist.
func (p prover) tryBelow(e *exchange.Endpoint) {
	if e.Resource.Above == nil {
		return
	}
	parent := e.Resource.Above.Parent
	above := p.RowFor(p.Owner, parent)
	if above == nil {
		return
	}
	for _, who := range p.Others(above.By) {
		hidden := !p.Sees(who, parent, above)
		kept := e.ByWriters && e.Resource.Above.ByWriters && !p.Changes(who, parent, above, fixture.Updating(parent))
		keys, ok := p.KeysAbove(parent, who, above)
		if e.Access(who) == spec.AccessRefused || !hidden && !kept || !ok {
			continue
		}
		r := exchange.Request{By: who, Header: http.Header{}}
		r.Query, r.Body = p.WriterLike(e, who, nil, "").Content(e)
		before := p.Contents()
		for _, keys := range append([][]string{keys}, candidates.CrossedKeys(p.Fixture, parent, who, keys)...) {
			r.Path = e.PathBelow(append(slices.Clip(keys), above.Key(parent)))
			p.reachBelow(e, r, above, hidden)
		}
		if changed := before.ChangedIn(p.Contents()); len(changed) > 0 {
			p.Find(e, who, r.Curl(), "it changes %s below a row that is not theirs", strings.Join(changed, ", "))
		}
	}
}

// reachBelow sends the requests of an endpoint below a row that is not the sender's: by each method, and for each export.
func (p prover) reachBelow(e *exchange.Endpoint, r exchange.Request, above *fixture.Row, hidden bool) {
	for _, r.Method = range methodsOf(e) {
		p.reachBy(e, r, e.Resource.Above.Parent, above, false, hidden)
	}
	for _, query := range candidates.Exports(e) {
		r.Method, r.Query = http.MethodGet, query
		p.reachBy(e, r, e.Resource.Above.Parent, above, false, hidden)
	}
}
