package prove

import (
	"maps"
	"slices"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
)

// tryLocks sends a body without the fields that the person may not write, after a person who may has
// written them: they must stay as they are.
func (p *prover) tryLocks(e *exchange.Endpoint, one *fixture.Row) {
	if len(e.Locks) == 0 || !e.Fills() || one == nil {
		return
	}
	writes := func(may bool) *exchange.Person {
		for _, who := range append([]*exchange.Person{one.By}, p.People...) {
			locked := slices.ContainsFunc(slices.Collect(maps.Keys(e.Locks)), func(name string) bool { return p.Lock(e, who, name) != nil })
			if locked != may && p.Permits(e, who, one) {
				return who
			}
		}
		return nil
	}
	holder, other := writes(true), writes(false)
	if holder == nil || other == nil {
		return
	}
	for range fixture.Attempts { // until the values are not those of fields that are not set
		_, _ = p.Succeed(e, holder, one)
		if p.allSet(e, one) {
			break
		}
	}
	w := p.WriterLike(e, other, one, "")
	for name := range e.Locks {
		w.Left["/"+name] = true
	}
	if r, ok := p.RequestOf(e, w, one); ok {
		before, got := p.Contents(), p.Send(e, r)
		p.Untouched(e, got, one, before, nil)
		p.Settle(e, got, before, one, nil)
	}
}

// allSet reports whether a row has a value in each field of an endpoint that has a rule about writing.
func (p *prover) allSet(e *exchange.Endpoint, one *fixture.Row) bool {
	for name := range e.Locks {
		column := e.Resource.Names[name].Column
		if column != nil && slices.Contains([]string{"", "0", "false"}, one.Values[column.Name]) {
			return false
		}
	}
	return true
}
