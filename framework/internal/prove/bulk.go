package prove

import (
	"net/http"

	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/spec"
)

// tryBulk sends the requests for several rows with the key of a row that the sender may not change. No such row must
// change. For a row that the sender may not see, the answer must be that for a row that does not exist, unless a
// request with a natural key creates one.
func (p *prover) tryBulk(e *fixture.Endpoint) {
	if e.Bulk == nil || e.Info.Method == http.MethodPost {
		return
	}
	p.exercise(e)
	if e.Bulk.Owned { // another caller's key creates a row of one's own, with the texts of the other's
		return
	}
	for _, owner := range p.People[1:] {
		one := p.RowFor(owner, e.Resource)
		if one == nil || one.By != owner {
			continue
		}
		for _, who := range p.Others(owner) {
			p.tryBulkAs(e, who, one)
		}
	}
}

// exercise sends the request as callers who may change a row that there is, until one succeeds.
func (p *prover) exercise(e *fixture.Endpoint) {
	for _, who := range p.People[1:] {
		for _, one := range p.RowsOf(e.Resource) {
			if e.Tried.Succeeded() {
				return
			}
			if !p.Permits(e, who, one) {
				continue
			}
			if r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one); ok {
				before := p.Contents()
				p.Send(e, r)
				p.Learn(before, who)
			}
		}
	}
}

func (p *prover) tryBulkAs(e *fixture.Endpoint, who *fixture.Person, one *fixture.Row) {
	hidden := !p.Has(who, e, one)
	kept := e.ByWriters && !p.Changes(who, e.Resource, one, e.Route)
	if e.Access(who) == spec.AccessRefused || !hidden && !kept {
		return
	}
	r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
	if !ok {
		return
	}
	before := p.Contents()
	got := p.Send(e, r)
	replaces := e.Info.Method == http.MethodPut
	if got.OK() && !replaces {
		p.find(e, who, got.Curl(), "it is answered %d, and the row is not theirs", got.Status)
	}
	if before.Loses(one, p.Contents()) {
		p.find(e, who, got.Curl(), "it changes a row that is not theirs")
	}
	if !hidden || replaces {
		return
	}
	key := one.Key(e.Resource)
	missing := places.MissingKey(e.Resource.Key, key)
	none := r
	none.Body, none.Query = e.WithOwnKey(r.Body, key, missing), places.WithKey(r.Query, fixture.Escape(key), fixture.Escape(missing))
	if other := p.Send(e, none); got.Plain(key, missing) != other.Plain(key, missing) {
		p.find(e, who, got.Curl(), "the answer differs from that for a row that does not exist")
	}
}
