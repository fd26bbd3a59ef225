package reach

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// mostFaulty limits the people who also send requests with faults for a row: some who may not see it, and some who may not change it.
const mostFaulty = 3

// reachAll sends the requests for a row as each person who did not make it.
func (p prover) reachAll(e *exchange.Endpoint, one *fixture.Row) {
	left := map[bool]int{true: mostFaulty, false: mostFaulty}
	for _, who := range e.Others(one.By) {
		p.reach(e, who, one, left)
	}
}

// methodsOf lists the methods to try: for a GET also HEAD and OPTIONS.
func methodsOf(e *exchange.Endpoint) []string {
	if e.Info.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead, http.MethodOptions}
	}
	return []string{e.Info.Method}
}

// reach sends a person's requests for a row that is not theirs. A row that they may not see must
// look like one that does not exist; one that they may not change must stay as it is. left is how many people more send requests with
// faults, by whether the row is hidden from them.
func (p prover) reach(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row, left map[bool]int) {
	refused := e.Access(who) == spec.AccessRefused
	hidden := !p.Has(who, e, one)
	kept := e.ByWriters && !p.Changes(who, e.Resource, one, e.Route)
	if !refused && !hidden && !kept {
		p.use(e, who, one)
		return
	}
	valid, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
	if !ok {
		return
	}
	paths := []string{valid.Path}
	if hidden {
		paths = append(paths, candidates.Crossed(p.Fixture, e, who, one)...)
	}
	before := p.Contents()
	for at, r := range p.variantsFor(e, valid, one, refused, hidden, left) {
		for _, path := range paths {
			for _, method := range methodsOf(e) {
				r.Method, r.Path = method, path
				p.reachBy(e, r, e.Resource, one, refused, hidden)
			}
		}
		if at == 0 {
			p.CheckUnchanged(e, before, valid, "")
		}
	}
	p.CheckUnchanged(e, before, valid, ", or one of those with other parameters, conditions or bodies after it,")
}

// use sends a person's request for a row of another person that the declarations let them send: a
// declared read must succeed, a function that reads must not show what is not theirs, and a write by the framework
// itself must leave all rows that they may not change.
func (p prover) use(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) {
	r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
	switch {
	case !ok || e.Kind == declare.VerbDeletes || e.Spec.Upload != nil: // a delete takes along what belongs to the row
		return
	case e.Route.Reads() && e.Declared():
		if got := p.Send(e, r); got.Rejects() || got.Status == http.StatusNotFound {
			p.Find(e, who, got.Curl(), "it is answered %d, and the declarations permit this caller", got.Status)
		}
		return
	case e.Kind != declare.VerbAccepts && !e.Links() && !e.Route.Reads():
		return
	}
	kept := slices.DeleteFunc(slices.Clone(p.Made), func(one *fixture.Row) bool { return !p.KeptFrom(who, one) })
	before := p.Contents()
	got := p.Send(e, r)
	after := p.Contents()
	for _, theirs := range kept {
		if theirs != one && theirs.IsLost(before, after) {
			p.Find(e, who, got.Curl(), "it changes a row of %s that they may not change", theirs.Table)
			break
		}
	}
	p.Settle(e, got, before, one, nil)
}

// reachBy sends a request whose path has the key of a row of a viewset, and the same for no row.
func (p prover) reachBy(e *exchange.Endpoint, r exchange.Request, of *table.Resource, one *fixture.Row, refused, hidden bool) {
	got := p.Send(e, r)
	switch {
	case got.Status >= http.StatusInternalServerError:
		p.Find(e, r.By, got.Curl(), "it is answered %d", got.Status)
	case r.Method == http.MethodOptions:
	case refused && !got.Rejects():
		p.Find(e, r.By, got.Curl(), "it is answered %d, and the declarations reject this caller", got.Status)
	case !refused && (got.OK() || hidden && got.Status == http.StatusNotModified):
		p.Find(e, r.By, got.Curl(), "it is answered %d, and the row is not theirs", got.Status)
	}
	if !hidden {
		return
	}
	key := one.Key(of)
	missing := places.MissingKey(of.Key, key)
	other := r
	other.Path = places.WithKey(r.Path, exchange.Escape(key), exchange.Escape(missing))
	if e.Resource == of {
		other.Body = e.WithOwnKey(r.Body, key, missing)
	}
	none := p.Send(e, other)
	switch {
	case got.Plain(key, missing) != none.Plain(key, missing):
		p.Find(e, r.By, got.Curl(), "the answer differs from that for a row that does not exist:\n%s",
			answers.Difference(got.Plain(key, missing), "for "+missing, none.Plain(key, missing)))
	case !refused && none.Rejects() && r.Method != http.MethodOptions:
		p.Find(e, r.By, none.Curl(), "it is answered %d for a row that does not exist, and the declarations permit this caller", none.Status)
	}
}
