package retries

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/problem"
)

// tryResends sends requests with an Idempotency-Key once more, with the same key and the same body, as other callers of the same
// kind and as a visitor. Nothing may be tried after it, because rows of several callers then have the same texts.
func (p prover) tryResends() {
	pairs := map[*exchange.Person][2]*exchange.Person{}
	for _, e := range p.Endpoints {
		if keepsKeys(e) && p.Broken == nil {
			p.tryResend(e, pairs)
		}
	}
}

// tryResend sends the requests of one endpoint. pairs has the two callers of a kind who were made for an endpoint before.
func (p prover) tryResend(e *exchange.Endpoint, pairs map[*exchange.Person][2]*exchange.Person) {
	var last *resend
	for _, kind := range candidates.Kinds(p.Fixture, e) {
		pair, known := pairs[kind]
		if !known {
			pair = [2]*exchange.Person{p.Fresh(kind), p.Fresh(kind)}
			pairs[kind] = pair
		}
		if one := p.keyed(e, pair[0]); one != nil {
			p.resendAs(pair[1], one)
			last = one
		}
	}
	if visitor := p.People[0]; last != nil && e.Access(visitor) != spec.AccessRefused {
		p.resendAs(visitor, last)
	}
}

// keepsKeys reports whether an endpoint makes rows and keeps its answers for the keys of requests.
func keepsKeys(e *exchange.Endpoint) bool { return e.Idempotent && !e.OfAuth() && e.Makes() }

// A resend is a request with a key that succeeded, and what it made.
type resend struct {
	e    *exchange.Endpoint
	got  *exchange.Answer
	keys []string // of the new rows that the answer shows
	made bool     // the framework made a row of the viewset
}

// keyed sends a request with a new key as a person; nil if it fails.
func (p prover) keyed(e *exchange.Endpoint, who *exchange.Person) *resend {
	if who == nil {
		return nil
	}
	w := p.WriterLike(e, who, nil, "")
	w.Keyed = true
	got, fresh := p.SucceedAs(e, w, nil)
	if got == nil || !got.OK() {
		return nil
	}
	one := &resend{e: e, got: got, made: p.adds(e, fresh)}
	for _, row := range fresh {
		if key := p.KeyOf(row); len(key) >= fixture.Telling && strings.Contains(got.Text, key) && !got.Has(key) {
			one.keys = append(one.keys, key)
		}
	}
	return one
}

// adds reports whether the framework itself has made one of some new rows at an endpoint.
func (p prover) adds(e *exchange.Endpoint, fresh []*fixture.Row) bool {
	return e.Kind == declare.VerbAccepts && e.Info.Method == http.MethodPost &&
		slices.ContainsFunc(fresh, func(one *fixture.Row) bool { return one.Table == e.Resource.Table.Name })
}

// shows reports whether an answer has the key of a row of the request.
func (r *resend) shows(got *exchange.Answer) bool {
	return slices.ContainsFunc(r.keys, func(key string) bool { return strings.Contains(got.Text, key) })
}

// resendAs sends the request as another caller. The answer must not be that of the first caller: it must not have the key of a row that
// the first request made, and a success of a create must make a row. A function may show the other's row to every caller; then
// it also does with a new key.
func (p prover) resendAs(who *exchange.Person, of *resend) {
	e := of.e
	if who == nil || p.CallerOf(who, e) == p.CallerOf(of.got.By, e) {
		return
	}
	key := of.got.Request.Header.Get(problem.IdempotencyHeader)
	send := func(key string) (*exchange.Answer, []*fixture.Row) {
		r := of.got.Request
		r.By, r.Header = who, r.Header.Clone()
		r.Header.Set(problem.IdempotencyHeader, key)
		before := p.Contents()
		got := p.Send(e, r)
		return got, p.Learn(before, who)
	}
	named := p.Named(e, exchange.Request{Path: of.got.Path, Query: of.got.Query, Body: of.got.Body, By: who})
	got, fresh := send(key)
	again := func() bool {
		other, _ := send(p.Word(fixture.KeyLength))
		last, _ := send(key)
		return !of.shows(other) && of.shows(last) && !replayed(last)
	}
	if replayed(got) || p.SecretIn(e, got, named) != "" && !e.SignsIn || of.made && got.OK() && !p.adds(e, fresh) || of.shows(got) && again() {
		p.Find(e, who, got.Curl(), "the answer of another caller is repeated for their Idempotency-Key")
	}
}
