package lists

import (
	"strings"

	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// TryDeletedCursors does with a list of deleted rows what [Try] does with cursors.
func TryDeletedCursors(c *check.Checker, e *exchange.Endpoint) {
	prover{c}.tryCursors(e, table.ParamDeleted+"=true")
}

// tryCursors sends a cursor of each caller as all others: a cursor belongs to the caller who got it. query is that of the first page.
func (p prover) tryCursors(e *exchange.Endpoint, query string) {
	if !e.HasCursors() {
		return
	}
	for _, owner := range e.Callers {
		if e.Access(owner) == spec.AccessRefused {
			continue
		}
		r, ok := p.withCursor(e, owner, query)
		if !ok {
			continue
		}
		for _, who := range e.Others(owner) {
			if p.CallerOf(who, e) == p.CallerOf(owner, e) {
				continue
			}
			r.By = who
			if got := p.Send(e, r); got.OK() {
				p.Find(e, who, got.Curl(), "the cursor of another caller is accepted")
			}
		}
	}
}

// withCursor returns the request for the second page of a list, which a caller gets in the header Link of
// the first. Below a parent it is the list of the first row whose parent has enough rows.
func (p prover) withCursor(e *exchange.Endpoint, owner *exchange.Person, query string) (r exchange.Request, ok bool) {
	on := []*fixture.Row{nil}
	if e.Resource.Above != nil {
		on = append(on, p.RowsOf(e.Resource)...)
	}
	tried := map[string]bool{}
	for _, one := range on {
		r, ok = p.RequestOf(e, p.WriterLike(e, owner, nil, ""), one)
		if !ok || tried[r.Path] {
			continue
		}
		tried[r.Path] = true
		r.Small = true // so that a few rows have several pages
		r.Query = strings.Trim(r.Query+"&"+query, "&")
		if next := answers.NextPage(p.Send(e, r).Header); next != "" && next != r.Query {
			r.Query = next
			return r, true
		}
	}
	return r, false
}
