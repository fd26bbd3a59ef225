package lists

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// looks lists the ways in which a person reads: each GET, of a row that they may see if it names
// one, with each order, and each parameter with values of a row that the person may not see. A list is
// also read with pages of one row, because the server counts the rows of a longer list in another way. The second user also sends rare requests
// for the list of the hidden row.
func (p prover) looks(who *exchange.Person, hidden *fixture.Row) (all []*Look) {
	for _, e := range p.Endpoints {
		steady := !e.Endless && !e.ShowsReads // what was read changes by each read
		if e.Info.Method != http.MethodGet || !steady || !slices.Contains(e.Callers, who) || e.Access(who) == spec.AccessRefused {
			continue
		}
		path, ok := p.PathOf(e, who, p.seenBy(who, e, hidden))
		if !ok {
			continue
		}
		required := (&fixture.Writer{Fixture: p.Fixture, By: who}).Query(e)
		add := func(query url.Values, small bool) {
			all = append(all, &Look{e: e, r: exchange.Request{Method: http.MethodGet, Path: path, Query: query.Encode(), By: who, Small: small}})
		}
		add(required, false)
		if e.Pagination != nil {
			add(required, true)
		}
		all = append(all, p.rareLooks(e, hidden, exchange.Request{Path: path, Query: required.Encode(), By: who})...)
		for _, param := range e.Spec.Params {
			for _, value := range valuesFor(e, param, hidden, p.KeysOf(hidden.Table)) {
				query := maps.Clone(required)
				query.Set(param.Name, value)
				add(query, strings.HasPrefix(value, "-")) // the other direction of the order has all rows
			}
		}
	}
	return all
}

// rareLooks lists requests of the second user for the list of a hidden row, whose answers have no rows: HEAD and OPTIONS, and a page that the
// list does not have.
func (p prover) rareLooks(e *exchange.Endpoint, hidden *fixture.Row, r exchange.Request) (all []*Look) {
	if r.By != p.People[2] || e.Spec.Key != nil || !e.HandsRows() || e.Resource.Table.Name != hidden.Table {
		return nil
	}
	for _, r.Method = range []string{http.MethodHead, http.MethodOptions} {
		all = append(all, &Look{e: e, r: r})
	}
	if r.Method = http.MethodGet; slices.ContainsFunc(e.Spec.Params, func(param spec.Param) bool { return param.Name == "page" }) {
		r.Query = strings.TrimPrefix(r.Query+"&page=9999", "&")
		all = append(all, &Look{e: e, r: r})
	}
	return all
}

// valuesFor lists the values of a parameter that a person tries to find a hidden row: none for that of deleted rows, which package deleted sends.
func valuesFor(e *exchange.Endpoint, param spec.Param, hidden *fixture.Row, keys []string) []string {
	if e.Deleted != nil && param.Name == table.ParamDeleted {
		return nil
	}
	return places.ValuesFor(param, searches(e, param), hidden, keys)
}

// seenBy returns a row that a person may have at an endpoint. For an endpoint of no row it is nil,
// but for one below a row it is the hidden row, if the person sees the row above.
func (p prover) seenBy(who *exchange.Person, e *exchange.Endpoint, hidden *fixture.Row) *fixture.Row {
	if e.Spec.Key == nil {
		if above := e.Resource.Above; above != nil && e.Resource.Table.Name == hidden.Table && p.SeesAt(who, above.Parent, hidden.Values[above.Column.Name]) {
			return hidden
		}
		return nil
	}
	for _, one := range p.RowsOf(e.Resource) {
		if p.Has(who, e, one) {
			return one
		}
	}
	return nil
}

// searches reports whether a parameter searches texts.
func searches(e *exchange.Endpoint, param spec.Param) bool {
	return param.Name == "q" || e.Resource.Search != nil && param.Name == e.Resource.Search.Parameter().Name
}
