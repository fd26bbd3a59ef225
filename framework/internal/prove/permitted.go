package prove

import (
	"cmp"
	"net/http"
	"slices"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/reach"
	"trestle.example/framework/internal/spec"
)

// permitted sends the request as callers that the declarations permit, first the row's owner,
// until one succeeds: for the row, and for the row after other actions of its table, because a
// function may need rows in another state, and a scope may show the row only then. In each state the others try to reach the row first.
func (p *prover) permitted(e *exchange.Endpoint, one *fixture.Row) {
	last := p.permittedFor(e, one)
	if last != nil && last.OK() {
		return
	}
	for _, action := range p.Endpoints {
		same := action.Resource.Table != nil && action.Resource.Table.Name == e.Resource.Table.Name
		if action == e || !same || action.Spec.Key == nil || !action.Acts() {
			continue
		}
		if acted := p.permittedFor(action, one); acted != nil && acted.OK() {
			reach.All(p.Checker, e, one)
		}
		// There is no answer if the action has taken the row from every caller.
		if last = cmp.Or(p.permittedFor(e, one), last); last != nil && last.OK() {
			return
		}
	}
	if !p.permittedAnew(e, one) {
		p.unreached(e, last)
	}
}

// permittedAnew sends the request for new rows, which have other booleans, and reports whether one succeeded.
func (p *prover) permittedAnew(e *exchange.Endpoint, one *fixture.Row) bool {
	for range 2 {
		other := p.another(e, one)
		if other == one || !p.Permits(e, one.By, other) {
			return false
		}
		reach.All(p.Checker, e, other)
		p.stock(e, other)
		if got := p.permittedFor(e, other); got != nil && got.OK() {
			return true
		}
	}
	return false
}

// another makes a row beside one, by the same person; it returns that one if it cannot. If the row must be alone, another
// person may make it, so that no row refers to it.
func (p *prover) another(e *exchange.Endpoint, one *fixture.Row) *fixture.Row {
	people := []*exchange.Person{one.By}
	if p.Alone {
		people = append(people, p.People...)
	}
	for _, who := range people {
		makers := slices.DeleteFunc(p.MakersOf(e.Resource), func(maker *exchange.Endpoint) bool {
			return maker.Access(who) == spec.AccessRefused || !p.MayYield(maker, who, e.Resource)
		})
		for _, maker := range makers {
			all, _ := p.Create(maker, who)
			at := slices.IndexFunc(all, func(fresh *fixture.Row) bool { return fresh.Table == one.Table && fresh.Key(e.Resource) != "" })
			if at < 0 {
				continue
			}
			if one = all[at]; !p.Alone || len(candidates.Referring(p.Fixture)[one.Values[e.Resource.Pk.Name]]) == 0 {
				return one
			}
		}
	}
	return one
}

// tryMasked sends a change as each caller who may make it: the answer must not have a field that a rule hides from the caller, and that of a
// function no column that the views hide.
func (p *prover) tryMasked(e *exchange.Endpoint, one *fixture.Row) {
	for _, who := range e.Others(one.By) {
		hides := len(e.Resource.Fields) > 0 || !e.Declared()
		if hides && e.Info.Method != http.MethodGet && e.Out != input.NoneType && p.Permits(e, who, one) {
			_, _ = p.Succeed(e, who, p.another(e, one))
		}
	}
}

// permittedFor sends a request for a row as callers that the declarations permit, until one
// succeeds. It returns the last answer, nil if the declarations permit none.
func (p *prover) permittedFor(e *exchange.Endpoint, one *fixture.Row) (last *exchange.Answer) {
	for _, who := range append([]*exchange.Person{one.By}, p.People...) {
		if !p.Permits(e, who, one) {
			continue
		}
		if last, _ = p.Succeed(e, who, one); last != nil && last.OK() {
			return last
		}
	}
	return last
}
