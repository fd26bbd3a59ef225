package lists

import (
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/spec"
)

// tryTotals requests totals of a list as each caller that the declarations permit: of all rows, by each field, and by all fields at
// once. No answer may have a value of a row or a field that is not the caller's. Below rows, it requests the totals below each row
// that the caller sees. That the numbers do not have rows of others is tried by tryLists.
func (p prover) tryTotals(e *exchange.Endpoint) {
	for _, who := range e.Callers {
		if e.Totals == nil || e.Access(who) == spec.AccessRefused {
			continue
		}
		for _, path := range p.listsOf(e, who) {
			for _, query := range totalsOf(e) {
				p.CheckShown(e, p.Send(e, exchange.Request{Method: http.MethodGet, Path: path, By: who, Query: query.Encode()}), nil)
			}
		}
	}
}

// totalsOf are the queries of totals, the one with all fields at last; none for another endpoint.
func totalsOf(e *exchange.Endpoint) []url.Values {
	if e.Totals == nil {
		return nil
	}
	queries, all := []url.Values{{}}, url.Values{}
	for _, part := range e.Totals.Parts {
		var names []string
		for _, f := range part.Fields {
			queries = append(queries, url.Values{part.Param: {f.Name}})
			names = append(names, f.Name)
		}
		all.Set(part.Param, strings.Join(names, ","))
	}
	return append(queries, all)
}
