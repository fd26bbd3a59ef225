package prove

import (
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/problem"
)

// paramBefore is the parameter with the id of a read: the page has older ones.
const paramBefore = "before"

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
// compares the reads of the first row, and those before its own read.
func (p *prover) tryRead(e, retrieve *exchange.Endpoint, who *exchange.Person, own *fixture.Row) {
	read := p.read(retrieve, who, own)
	theirs := p.readOthers(retrieve, who, own)
	now := p.read(e, who, own)
	if now == nil || read == nil {
		return
	}
	older := now.Request
	older.Query = url.Values{paramBefore: {read.Header.Get(problem.HeaderRequestID)}}.Encode()
	old := p.Send(e, older)
	if !strings.Contains(now.Text, read.Header.Get(problem.HeaderRequestID)) {
		p.Find(e, who, now.Curl(), "the answer lacks a request that has just read the row")
	}
	for _, other := range theirs {
		for _, got := range []*exchange.Answer{now, old} {
			if strings.Contains(got.Text, other.Header.Get(problem.HeaderRequestID)) {
				p.Find(e, who, got.Curl(), "the answer has a request that read another row, which is not theirs")
			}
		}
	}
}

// readOthers reads a row that a person may not see, as the person who made it, and the list of this person. The list counts if it does
// not show the own row.
func (p *prover) readOthers(retrieve *exchange.Endpoint, who *exchange.Person, own *fixture.Row) (theirs []*exchange.Answer) {
	for _, one := range candidates.AllHidden(p.Fixture, who, retrieve.Resource) {
		got := p.read(retrieve, one.By, one)
		if got == nil {
			continue
		}
		theirs = append(theirs, got)
		for _, e := range p.Endpoints {
			if e.Resource == retrieve.Resource && e.Route.Name == call.VerbList && !p.Sees(one.By, e.Resource, own) {
				if list := p.read(e, one.By, one); list != nil {
					theirs = append(theirs, list)
				}
			}
		}
		break
	}
	return theirs
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
