package reach

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
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
	filters := p.filters(e, above)
	for _, who := range e.Others(above.By) {
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
			p.reachBelow(e, r, above, hidden, filters)
		}
		filters = nil // one person is enough
		if changed := before.ChangedIn(p.Contents()); len(changed) > 0 {
			p.Find(e, who, r.Curl(), "it changes %s below a row that is not theirs", strings.Join(changed, ", "))
		}
	}
}

// filters lists queries of a list below a row: for each parameter, a value that a row of the list has.
func (p prover) filters(e *exchange.Endpoint, above *fixture.Row) (queries []string) {
	rows := p.RowsOf(e.Resource)
	at := slices.IndexFunc(rows, func(one *fixture.Row) bool {
		return one.Values[e.Resource.Above.Column.Name] == above.Values[e.Resource.Above.Parent.Pk.Name]
	})
	if e.Info.Method != http.MethodGet || at < 0 {
		return nil
	}
	for _, param := range e.Spec.Params {
		if values := places.ValuesFor(param, false, rows[at], p.KeysOf(rows[at].Table)); len(values) > 0 {
			queries = append(queries, url.Values{param.Name: values[:1]}.Encode())
		}
	}
	return queries
}

// reachBelow sends the requests of an endpoint below a row that is not the sender's: by each method, for each export, and with filters.
func (p prover) reachBelow(e *exchange.Endpoint, r exchange.Request, above *fixture.Row, hidden bool, filters []string) {
	for _, r.Method = range methodsOf(e) {
		p.reachBy(e, r, e.Resource.Above.Parent, above, false, hidden)
	}
	for _, query := range candidates.Exports(e) {
		r.Method, r.Query = http.MethodGet, query
		p.reachBy(e, r, e.Resource.Above.Parent, above, false, hidden)
	}
	for _, r.Query = range filters {
		r.Method = http.MethodGet
		if got := p.Send(e, r); hidden && got.OK() {
			p.Find(e, r.By, got.Curl(), "it is answered %d, and the row is not theirs", got.Status)
		}
	}
}
