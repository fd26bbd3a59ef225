package retries

import (
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/problem"
)

// mostReplays is how often another caller sends a request of their own with a used key until it succeeds.
const mostReplays = 3

// tryReplay sends the Idempotency-Key of one caller as another caller with a request of their own: the key is
// theirs too, so the answer must not be that of the first caller, and must not show that the key is used.
func (p prover) tryReplay(e *exchange.Endpoint) {
	if !keepsKeys(e) {
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
func (p prover) twoCallers(e *exchange.Endpoint) (one, who *exchange.Person) {
	var first *exchange.Person
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
func (p prover) replay(e *exchange.Endpoint, first *exchange.Answer, r exchange.Request) bool {
	send := func(by *exchange.Person, key string) *exchange.Answer {
		one := r
		one.By, one.Header = by, r.Header.Clone()
		one.Header.Set(problem.IdempotencyHeader, key)
		before := p.Contents()
		defer func() { p.Learn(before, by) }()
		return p.Send(e, one)
	}
	fresh := func(by *exchange.Person) *exchange.Answer { return send(by, p.Word(fixture.KeyLength)) }
	used := func() *exchange.Answer { return send(r.By, first.Request.Header.Get(problem.IdempotencyHeader)) }
	named, names := p.Named(e, r), p.names(first, r)
	got := used()
	switch {
	case replayed(got),
		p.SecretIn(e, got, named) != "" && !e.SignsIn,
		names && got.Text == first.Text && p.repeats(got, fresh, used):
		p.Find(e, r.By, got.Curl(), "the answer of another caller is repeated for their Idempotency-Key")
	case !got.OK() && differs(got, func() *exchange.Answer { return fresh(r.By) }, used):
		p.Find(e, r.By, got.Curl(), "the answer shows that another caller has used the Idempotency-Key")
	default:
		return got.OK()
	}
	return true
}

// replayed reports whether an answer has the header of repeated answers.
func replayed(got *exchange.Answer) bool {
	value := got.Header.Get(problem.HeaderReplayed)
	return value != "" && !strings.EqualFold(value, "false")
}

// names reports whether an answer has the key of a row that its request does not have, or a random text of its request that
// the request r does not have.
func (p prover) names(first *exchange.Answer, r exchange.Request) bool {
	for word, telling := range p.Words {
		if telling && strings.Contains(first.Text, word) && first.Has(word) && !r.Has(word) {
			return true
		}
	}
	return slices.ContainsFunc(p.Made, func(one *fixture.Row) bool {
		key := p.KeyOf(one)
		return len(key) >= fixture.Telling && strings.Contains(first.Text, key) && !first.Has(key)
	})
}

// repeats reports whether the same request with a new key succeeds with another answer, and then with the used key again with
// the same one. A new person of the same kind sends the new key, because a caller may be allowed to send such a
// request once. If it fails, as it may name a row of its sender, the sender sends it. A server that keeps the keys of callers apart
// repeats the last answer as one to the sender, and says so in the header.
func (p prover) repeats(got *exchange.Answer, fresh func(*exchange.Person) *exchange.Answer, used func() *exchange.Answer) bool {
	for _, by := range []*exchange.Person{p.Fresh(got.By), got.By} {
		if by == nil {
			continue
		}
		if other := fresh(by); other.OK() {
			if other.Text == got.Text {
				return false
			}
			last := used()
			return last.Text == got.Text && !replayed(last)
		}
	}
	return false
}

// differs reports whether an error is that of a used key: two new keys have other answers, and then the used key has the same
// error again. An error that is another one then depends on the time, or on the number of requests. Such an error counts only
// if both new keys succeed.
func differs(got *exchange.Answer, fresh, used func() *exchange.Answer) bool {
	plain := func(a *exchange.Answer) string { return a.Plain(a.Request.Header.Get(problem.IdempotencyHeader)) }
	one := fresh()
	if plain(one) == plain(got) {
		return false
	}
	other, last := fresh(), used()
	same := plain(last) == plain(got) || one.OK() && other.OK() && last.Status == got.Status
	return same && plain(other) != plain(got) && !replayed(last)
}
