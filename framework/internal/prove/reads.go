package prove

import (
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/prove/answers"
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
		for _, who := range e.Callers {
			if own, usable := candidates.Own(p.Fixture, e, who); usable && own != nil {
				p.tryRead(e, p.Endpoints[at], who, own)
			}
		}
	}
}

// tryRead reads rows that a person may not see as the person who made them, and then a row of the person. The reads of this row, and those
// before each of the requests, must not have the others. If the others are read again, the reads of the row must stay as they are.
func (p *prover) tryRead(e, retrieve *exchange.Endpoint, who *exchange.Person, own *fixture.Row) {
	theirs := p.readOthers(retrieve, who, own)
	read := p.read(retrieve, who, own)
	now := p.read(e, who, own)
	if now == nil || read == nil {
		return
	}
	if !strings.Contains(now.Text, read.Header.Get(problem.HeaderRequestID)) {
		p.Find(e, who, now.Curl(), "the answer lacks a request that has just read the row")
	}
	pages := []*exchange.Answer{now}
	for _, one := range append(slices.Clip(theirs), read) {
		older := now.Request
		older.Query = url.Values{paramBefore: {one.Header.Get(problem.HeaderRequestID)}}.Encode()
		pages = append(pages, p.Send(e, older))
	}
	again := p.readOthers(retrieve, who, own)
	for _, page := range pages {
		after := p.Send(e, page.Request)
		switch {
		case slices.ContainsFunc(append(slices.Clip(theirs), again...), func(other *exchange.Answer) bool {
			return strings.Contains(after.Text, other.Header.Get(problem.HeaderRequestID))
		}):
			p.Find(e, who, after.Curl(), "the answer has a request that read another row, which is not theirs")
		case after.Plain() != page.Plain():
			p.Find(e, who, after.Curl(), "the answer changed after another row was read, which is not theirs:\n%s",
				answers.Difference(after.Plain(), "before", page.Plain()))
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
