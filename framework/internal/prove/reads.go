package prove

import (
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/problem"
)

// tryReads shows, for each viewset whose reads are recorded, that a read of a row is among the reads of this row, and of no other one.
func (p *prover) tryReads() {
	for _, e := range p.Endpoints {
		at := slices.IndexFunc(p.Endpoints, func(one *exchange.Endpoint) bool {
			return one.Resource == e.Resource && one.Route.Name == call.VerbRetrieve
		})
		if !e.ShowsReads || at < 0 || p.Broken != nil {
			continue
		}
		for _, who := range p.People {
			if own, usable := candidates.Own(p.Fixture, e, who); usable && own != nil {
				p.tryRead(e, p.Endpoints[at], who, own)
			}
		}
	}
}

// tryRead reads a row of a person as this person, and a row that the person may not see as the person who made that. Then it
// compares the reads of the first row.
func (p *prover) tryRead(e, retrieve *exchange.Endpoint, who *exchange.Person, own *fixture.Row) {
	read := p.read(retrieve, who, own)
	var theirs *exchange.Answer
	for _, one := range candidates.AllHidden(p.Fixture, who, e.Resource) {
		if theirs = p.read(retrieve, one.By, one); theirs != nil {
			break
		}
	}
	now := p.read(e, who, own)
	if now == nil || read == nil {
		return
	}
	if !strings.Contains(now.Text, read.Header.Get(problem.HeaderRequestID)) {
		p.Find(e, who, now.Curl(), "the answer lacks a request that has just read the row")
	}
	if theirs != nil && strings.Contains(now.Text, theirs.Header.Get(problem.HeaderRequestID)) {
		p.Find(e, who, now.Curl(), "the answer has a request that read another row, which is not theirs")
	}
}

// read sends the request for a row as a person. It returns nil unless it succeeds.
func (p *prover) read(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) *exchange.Answer {
	r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
	if !ok || !p.Permits(e, who, one) {
		return nil
	}
	if got := p.Send(e, r); got.OK() {
		return got
	}
	return nil
}
