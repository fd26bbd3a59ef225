package lists

import (
	"net/http"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// Before lists what some people read before a row is made and deleted.
func Before(c *check.Checker, readers []*exchange.Person, usual *fixture.Row) (looks []*Look) {
	p := prover{c}
	for _, reader := range readers {
		looks = append(append(looks, p.looks(reader, usual)...), p.looksAtDeleted(reader, usual)...)
	}
	for _, l := range looks {
		l.was = p.look(l)
	}
	return looks
}

// CompareDeleted reads again after a row was made and deleted at an endpoint. A viewset whose model has no mark of deleted rows shows the row.
func CompareDeleted(c *check.Checker, e *exchange.Endpoint, looks []*Look, one *fixture.Row) {
	p := prover{c}
	defer func() { p.Erased = false }()
	for _, l := range looks {
		p.Erased = false
		if of := l.e.Resource; of.Table != nil && of.Table.Name == one.Table && !fixture.DeletedFor(of, one) {
			continue
		}
		if p.SeesErased(l.e, l.r) && p.Has(l.r.By, l.e, one) || p.isShown(l, one) {
			continue
		}
		now := p.look(l)
		p.Erased = p.SeesErased(l.e, l.r) // by a Where
		if secret := p.SecretIn(l.e, now, nil); secret != "" {
			p.Find(l.e, l.r.By, now.Curl(), "the answer has %q, which is of a row that is deleted", secret)
		}
		if l.e.Declared() && now.Plain() != l.was.Plain() && !p.varies(l, now) && p.Lasts(l.e, l.r, now) {
			p.Find(l.e, l.r.By, now.Curl(), "the answer changed after a row of %s was made and deleted:\n%s",
				e.Resource.Path, answers.Difference(now.Plain(), "before", l.was.Plain()))
		}
	}
}

// isShown reports whether the Where of a viewset shows a deleted row to the person who reads it.
func (p prover) isShown(l *Look, one *fixture.Row) bool {
	of := l.e.Resource
	if of.Table == nil || of.Table.Name != one.Table || of.Scope.Kind != declare.ScopeWhere {
		return false
	}
	p.Erased = true
	defer func() { p.Erased = false }()
	return p.Sees(l.r.By, of, one)
}

// looksAtDeleted lists the lists and totals of the deleted rows of a table that a person may request, with rare requests for them. The totals
// are those of all fields too.
func (p prover) looksAtDeleted(who *exchange.Person, usual *fixture.Row) (all []*Look) {
	for _, e := range p.Endpoints {
		r := exchange.Request{Method: http.MethodGet, By: who, Query: table.ParamDeleted + "=true"}
		if e.Spec.Key != nil || e.Access(who) == spec.AccessRefused || e.Resource.Table == nil || e.Resource.Table.Name != usual.Table || !p.SeesErased(e, r) {
			continue
		}
		var ok bool
		if r.Path, ok = p.PathOf(e, who, p.seenBy(who, e, usual)); ok {
			all = append(append(all, &Look{e: e, r: r}), p.rareLooks(e, usual, r)...)
			if queries := totalsOf(e); len(queries) > 1 {
				r.Query += "&" + queries[len(queries)-1].Encode()
				all = append(all, &Look{e: e, r: r})
			}
		}
	}
	return all
}
