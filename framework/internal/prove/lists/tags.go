package lists

import (
	"net/http"

	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// TryTags compares the ETags that two callers get for a list, or for a row that both see. If the ETag of one answer counts as that of the
// other one, a client shows a caller what another one got.
func TryTags(c *check.Checker, e *exchange.Endpoint, on *fixture.Row) { prover{c}.tryTags(e, on) }

// tryTags sends the requests of callers until one gets another answer than the first one.
func (p prover) tryTags(e *exchange.Endpoint, on *fixture.Row) {
	if e.Info.Method != http.MethodGet || !e.HandsRows() {
		return
	}
	var first *exchange.Answer
	for _, who := range p.People {
		r, ok := p.RequestOf(e, p.WriterLike(e, who, on, ""), on)
		if !ok || e.Access(who) == spec.AccessRefused || on != nil && !p.Has(who, e, on) {
			continue
		}
		got := p.Send(e, r)
		switch {
		case !got.OK() || got.Header.Get(conditional.HeaderETag) == "":
			return
		case first == nil:
			first = got
		case got.Path == first.Path && got.Text != first.Text:
			p.compareTags(e, first, got)
			return
		}
	}
}

// compareTags compares the ETags of different answers to one request by two callers.
func (p prover) compareTags(e *exchange.Endpoint, first, got *exchange.Answer) {
	tag := first.Header.Get(conditional.HeaderETag)
	if got.Header.Get(conditional.HeaderETag) == tag {
		p.Find(e, got.By, got.Curl(), "its ETag is %s, as that of another answer to another caller", tag)
		return
	}
	p.Send(e, first.Request) // a cache may keep the last ETag alone
	r := got.Request
	r.Header = http.Header{conditional.HeaderIfNoneMatch: {tag}}
	if again := p.Send(e, r); again.Status == http.StatusNotModified {
		p.Find(e, got.By, again.Curl(), "it is answered 304, and the ETag is that of another answer to another caller")
	}
}
