package prove

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/advice"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/lists"
	"trestle.example/framework/internal/prove/reach"
	"trestle.example/framework/internal/prove/references"
	"trestle.example/framework/internal/prove/retries"
	"trestle.example/framework/internal/prove/sample"
	"trestle.example/framework/internal/spec"
)

// tryEndpoint sends the requests of one endpoint.
func (p *prover) tryEndpoint(e *exchange.Endpoint) {
	switch {
	case e.Spec.Root:
		p.tryOpen(e)
	case e.Spec.Key != nil:
		p.tryRow(e)
	default:
		p.tryOpen(e)
		reach.Below(p.Checker, e)
		references.Try(p.Checker, e, nil)
		references.TryValues(p.Checker, e)
		retries.Replay(p.Checker, e)
		lists.Try(p.Checker, e)
		reach.Bulk(p.Checker, e)
		p.tryForms(e)
	}
}

// tryOpen tries an endpoint that names no row as each caller: it must reject exactly those that the
// declarations reject.
func (p *prover) tryOpen(e *exchange.Endpoint) {
	p.stock(e, nil)
	some := false
	var last *exchange.Answer
	for _, who := range e.Callers {
		one := who
		if who.Caller != nil && e.Info.Method != http.MethodGet {
			one = p.Fresh(who) // the request may end the credentials, or change what is single
		}
		if one == nil {
			continue
		}
		if got := p.tryOpenAs(e, one); got != nil && e.Access(who) != spec.AccessRefused {
			last = got
			some = some || reached(e, got)
		}
	}
	if !some {
		p.unreached(e, last)
	}
}

// reached reports whether a request reached what an endpoint does. A function may reject what it
// wants, but the proof must make a body and parameters that are valid. Package auth needs secrets,
// which it sends by mail.
func reached(e *exchange.Endpoint, got *exchange.Answer) bool {
	if e.Declared() || got.Status >= http.StatusInternalServerError || got.Status == http.StatusTooManyRequests {
		return got.OK()
	}
	return e.OfAuth() || len(sample.PointersIn(got.Value())) == 0
}

// tryOpenAs sends the request of one caller. It returns the answer, nil if the request could not be
// made.
func (p *prover) tryOpenAs(e *exchange.Endpoint, who *exchange.Person) *exchange.Answer {
	got, _ := p.Succeed(e, who, nil)
	refused := e.Access(who) == spec.AccessRefused
	switch {
	case got == nil && !refused:
		return nil
	case got == nil:
		got = p.Send(e, exchange.Request{Method: e.Info.Method, Path: p.MissingPath(e), By: who})
	}
	switch {
	case refused && !got.Rejects():
		p.Find(e, who, got.Curl(), "it is answered %d, and the declarations reject this caller", got.Status)
	case who == p.People[0] && e.Kind == declare.VerbAccepts && e.Resource.NeedsCaller() && got.Status == http.StatusUnauthorized: // its function sets no owner
	case !refused && got.Rejects() && e.Declared() && e.Bulk == nil: // an item may name a row that is not the caller's to change
		p.Find(e, who, got.Curl(), "it is answered %d, and the declarations permit this caller", got.Status)
	case got.Status >= http.StatusInternalServerError:
		p.Find(e, who, got.Curl(), "it is answered %d", got.Status)
	}
	return got
}

// unreached reports an endpoint that no caller reached. At first it is left for later: an action of another
// endpoint may make the row that it needs. At last it is reported unless some request succeeded, as one that made a
// row for another endpoint.
func (p *prover) unreached(e *exchange.Endpoint, last *exchange.Answer) {
	usable := func(who *exchange.Person) bool { return e.Access(who) != spec.AccessRefused }
	switch {
	case !slices.ContainsFunc(p.People, usable):
		p.Skip(e, p.Owner, "", advice.Rejecting)
	case !p.again:
		p.later = append(p.later, e)
	case e.Tried.Succeeded():
	case last == nil:
		p.Skip(e, p.Owner, "", "%s", advice.Unmade(p.FailedMaker(e.Resource)))
	default:
		p.Skip(e, last.By, last.Curl(), "%s", advice.Rejected(last))
	}
}

// tryRow tries an endpoint of one row as each caller who does not own the row, and then as
// one that the declarations permit, because requests that always fail would prove nothing.
func (p *prover) tryRow(e *exchange.Endpoint) {
	one := candidates.ToReach(p.Fixture, e)
	if one == nil {
		p.unreached(e, nil)
		return
	}
	likes := candidates.ReferredOfAll(p.Fixture, e.Resource, one.By) // an answer may have rows that refer to it, and a database may keep or delete these
	if e.Info.Method == http.MethodGet {
		one = candidates.Referred(p.Fixture, e.Resource, one)[0]
	} else {
		p.Alone = e.Info.Method == http.MethodDelete // or other rows may refer to it
		one = p.another(e, one)
		p.Alone = false
	}
	reach.All(p.Checker, e, one)
	reach.Likes(p.Checker, e, one, likes)
	reach.Elsewhere(p.Checker, e, one)
	references.TryLinked(p.Checker, e, one)
	lists.TryTags(p.Checker, e, one)
	p.tryLocks(e, one)
	p.stock(e, one)
	p.permitted(e, one)
	p.tryMasked(e, one)
	if len(p.Fits[e].Left) > 0 { // the bodies before may have been rejected whatever the row
		if one = candidates.ToReach(p.Fixture, e); one != nil {
			reach.All(p.Checker, e, one)
		}
	}
	if who := p.People[2]; e.Input != nil {
		if own := p.RowFor(who, e.Resource); own != nil && own.By == who {
			references.Try(p.Checker, e, own)
		}
	}
	references.TryValues(p.Checker, e)
	references.TryRelated(p.Checker, e)
	p.tryForms(e)
}
