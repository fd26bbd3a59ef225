package reach

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/prefer"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/spec"
)

// tryBulk sends the requests for several rows with the key of a row that the sender may not change. No such row must
// change. For a row that the sender may not see, the answer must be that for a row that does not exist, unless a
// request with a natural key creates one.
func (p prover) tryBulk(e *exchange.Endpoint) {
	if e.Bulk == nil || e.Info.Method == http.MethodPost {
		return
	}
	p.exercise(e)
	if one := p.RowFor(p.Owner, e.Resource); one != nil && e.Info.Method != http.MethodPut { // which makes a row below the other one
		p.tryElsewhere(e, one)
	}
	if e.Bulk.Owned { // another caller's key creates a row of one's own, with the texts of the other's
		return
	}
	minimal := map[bool]bool{} // a request for an answer without a body was sent, by whether its row was hidden
	for at, who := range e.Callers {
		tried := map[bool]int{}
		for _, owner := range ownersAround(e.Callers, at) {
			if one := p.RowFor(owner, e.Resource); one != nil && one.By == owner {
				p.tryBulkAs(e, who, one, tried, minimal)
			}
		}
	}
}

// ownersAround lists the other callers who may make rows, the neighbours of one first: each person tries rows of other kinds of callers.
func ownersAround(callers []*exchange.Person, at int) (all []*exchange.Person) {
	count := len(callers)
	for n := 1; n < count; n++ {
		next := (at + (n+1)/2) % count
		if n%2 == 0 {
			next = (at - n/2 + count) % count
		}
		if next > 0 { // the visitor makes none
			all = append(all, callers[next])
		}
	}
	return all
}

// mostReached limits the rows of others that a person tries to change by requests for several rows: two rows that it sees, and
// two that it does not see.
const mostReached = 2

// exercise sends the request as callers who may change a row that there is, until one succeeds.
func (p prover) exercise(e *exchange.Endpoint) {
	for _, who := range p.People[1:] {
		for _, one := range p.RowsOf(e.Resource) {
			if e.Tried.Succeeded() {
				return
			}
			if !p.Permits(e, who, one) {
				continue
			}
			if r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one); ok {
				p.Perform(e, r, nil)
			}
		}
	}
}

// tryBulkAs sends the requests of a person who may not see a row, or not change it. It counts the rows that the person does not see, and
// the others. The first person also sends one for an answer without a body.
func (p prover) tryBulkAs(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row, tried map[bool]int, minimal map[bool]bool) {
	hidden := !p.Has(who, e, one)
	kept := e.ByWriters && !p.Changes(who, e.Resource, one, e.Route)
	refused := e.Access(who) == spec.AccessRefused
	if !refused && !hidden && !kept || tried[hidden] == mostReached || refused && len(tried) > 0 {
		return
	}
	tried[hidden]++
	if refused {
		p.tryRefused(e, who, one)
		return
	}
	for _, r := range p.bulkRequests(e, who, one) {
		p.reachByBulk(e, r, one, hidden)
		if e.MayLackBody() && !minimal[hidden] {
			minimal[hidden] = true
			p.reachByBulk(e, withHeader(r, prefer.Header, prefer.ReturnMinimal), one, hidden)
		}
	}
}

// tryRefused sends the request of a person that the declarations reject: it must leave the database as it is.
func (p prover) tryRefused(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) {
	r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
	if !ok {
		return
	}
	before := p.Contents()
	if got := p.Send(e, r); !got.Rejects() {
		p.Find(e, who, got.Curl(), "it is answered %d, and the declarations reject this caller", got.Status)
	}
	p.CheckUnchanged(e, before, r, "")
}

// bulkRequests lists the requests of a person for a row of another caller: below its own parent, below a parent of the
// person, and after a row that the person may change.
func (p prover) bulkRequests(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) (all []exchange.Request) {
	w := p.WriterLike(e, who, one, "")
	r, ok := p.RequestOf(e, w, one)
	if !ok {
		return nil
	}
	all = append(all, r)
	for _, r.Path = range candidates.Crossed(p.Fixture, e, who, one) {
		all = append(all, r)
	}
	if e.Bulk.Most > 1 {
		w.First = p.RowWhere(who, e.Resource, func(own *fixture.Row) bool { return own != one && p.Permits(e, who, own) && !p.takes(own, one) })
	}
	if w.First != nil {
		if r, ok = p.RequestOf(e, w, w.First); ok {
			all = append(all, r)
		}
	}
	return all
}

// takes reports whether a change of a row may rightly change another one too: the other refers to it, also through further rows, or the
// row refers to the other.
func (p prover) takes(own, one *fixture.Row) bool {
	if key := p.KeyOf(one); key != "" && own.RefersTo(key) {
		return true
	}
	known := []*fixture.Row{one}
	for at := 0; at < len(known); at++ {
		for _, whole := range p.ReferredBy(known[at]) {
			if !slices.Contains(known, whole) {
				known = append(known, whole)
			}
		}
	}
	return slices.Contains(known, own)
}

// reachByBulk sends a request whose last row the sender may not change.
func (p prover) reachByBulk(e *exchange.Endpoint, r exchange.Request, one *fixture.Row, hidden bool) {
	before, named := p.Contents(), p.Named(e, r)
	got := p.Send(e, r)
	p.CheckShown(e, got, named)
	replaces := e.Info.Method == http.MethodPut
	if got.OK() && !replaces {
		p.Find(e, r.By, got.Curl(), "it is answered %d, and the row is not theirs", got.Status)
	}
	after := p.Contents()
	switch changed := before.ChangedIn(after); {
	case one.IsLost(before, after):
		p.Find(e, r.By, got.Curl(), "it changes a row that is not theirs")
	case !got.OK() && !e.Bulk.Each && len(changed) > 0: // an item before the last one may succeed by itself
		p.Find(e, r.By, got.Curl(), "it is rejected, and changes %s", strings.Join(changed, ", "))
	default:
		p.Untouched(e, got, nil, before, nil)
	}
	p.Learn(before, r.By)
	if !hidden || replaces {
		return
	}
	key := one.Key(e.Resource)
	missing := places.MissingKey(e.Resource.Key, key)
	if none := p.Send(e, e.WithLastKey(r, key, missing)); got.Plain(key, missing) != none.Plain(key, missing) {
		p.Find(e, r.By, got.Curl(), "the answer differs from that for a row that does not exist:\n%s",
			answers.Difference(got.Plain(key, missing), "for "+missing, none.Plain(key, missing)))
	}
}
