package prove

import (
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/problem"
)

// mostReplays is how often another caller sends a request of their own with a used key until it succeeds.
const mostReplays = 3

// tryReplay sends the Idempotency-Key of one caller as another caller with a request of their own: the key is
// theirs too, so the answer must not be that of the first caller, and must not show that the key is used.
func (p *prover) tryReplay(e *fixture.Endpoint) {
	if !e.Idempotent || e.OfAuth() || !e.Makes() {
		return
	}
	for n := range mostReplays { // each with new callers, who may make a row even if each caller may make only one
		one, who := p.twoCallers(e)
		if one == nil || who == nil || p.CallerOf(one, e) == p.CallerOf(who, e) {
			return
		}
		w := p.WriterLike(e, one, nil, "")
		w.Keyed = true
		first, _ := p.SucceedAs(e, w, nil)
		if first == nil || !first.OK() {
			return
		}
		other := p.WriterLike(e, who, nil, "")
		if n > 0 { // the values may have been taken, or a row missing
			other.Vary()
			p.Prepare(e, who)
		}
		if r, ok := p.RequestOf(e, other, nil); !ok || p.replay(e, first, r) {
			return
		}
	}
}

// twoCallers makes a person like the owner, or like the first person who uses an endpoint, and another one, of another kind if
// there is one. They are nil if the endpoint identifies no person.
func (p *prover) twoCallers(e *fixture.Endpoint) (one, who *fixture.Person) {
	var first *fixture.Person
	for _, next := range p.People[1:] {
		switch {
		case e.Access(next) == spec.AccessRefused || !e.Succeeded(next) || p.CallerOf(next, e) == "":
		case first == nil:
			first = next
		case p.CallerOf(next, e) != p.CallerOf(first, e):
			return p.Fresh(first), p.Fresh(next)
		}
	}
	if first == nil {
		return nil, nil
	}
	return p.Fresh(first), p.Fresh(first)
}

// replay sends a request with the key of the first one, which another caller sent. It reports whether the request succeeded or
// was a finding.
func (p *prover) replay(e *fixture.Endpoint, first *fixture.Answer, r fixture.Request) bool {
	send := func(key string) *fixture.Answer {
		r.Header = r.Header.Clone()
		r.Header.Set(problem.IdempotencyHeader, key)
		before := p.Contents()
		defer func() { p.Learn(before, r.By) }()
		return p.Send(e, r)
	}
	fresh := func() *fixture.Answer { return send(p.Word(fixture.KeyLength)) } // what the used key changes
	named, names := p.named(e, r), p.names(first)
	got := send(first.Request.Header.Get(problem.IdempotencyHeader))
	switch {
	case got.Header.Get(problem.HeaderReplayed) != "",
		p.secretIn(e, got, named) != "" && !e.SignsIn,
		names && got.Text == first.Text && fresh().Text != got.Text:
		p.find(e, r.By, got.Curl(), "the answer of another caller is repeated for their Idempotency-Key")
	case !got.OK() && differs(got, fresh):
		p.find(e, r.By, got.Curl(), "the answer shows that another caller has used the Idempotency-Key")
	default:
		return got.OK()
	}
	return true
}

// names reports whether an answer has the key of a row that its request does not have.
func (p *prover) names(got *fixture.Answer) bool {
	return slices.ContainsFunc(p.Made, func(one *fixture.Row) bool {
		key := p.KeyOf(one)
		return len(key) >= fixture.Telling && strings.Contains(got.Text, key) && !strings.Contains(got.Sent(), key)
	})
}

// differs reports whether an error differs from the answer to the same request with a new key. If two errors for new keys
// differ too, as those with the time do, the difference shows nothing.
func differs(got *fixture.Answer, fresh func() *fixture.Answer) bool {
	plain := func(a *fixture.Answer) string { return a.Plain(a.Request.Header.Get(problem.IdempotencyHeader)) }
	other := fresh()
	return plain(got) != plain(other) && (other.OK() || plain(fresh()) == plain(other))
}
