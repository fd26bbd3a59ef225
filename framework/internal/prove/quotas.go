package prove

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/problem"
)

// tryQuotas shows that a quota counts the rows of each owner by themselves, for each viewset in which the framework creates the rows, one
// or several by a request.
func (p *prover) tryQuotas() {
	for _, e := range p.Endpoints {
		creates := e.Route.Name == call.VerbCreate || e.Bulk != nil && e.Info.Method == http.MethodPut
		if e.Kind != declare.VerbAccepts || !creates || e.Resource.Quota() == nil || e.OfAuth() || p.Broken != nil {
			continue
		}
		for _, kind := range candidates.Kinds(p.Fixture, e) {
			p.tryQuota(e, p.Fresh(kind), p.Fresh(kind))
		}
	}
}

// tryQuota lets each owner have one row. Two new callers each make one, and then the first must not make a second one.
func (p *prover) tryQuota(e *exchange.Endpoint, first, second *exchange.Person) {
	if first == nil || second == nil {
		return
	}
	quotas, table := p.Registry.Quotas, e.Resource.Table.Name
	declared := quotas[table]
	quotas[table] = declared.WithRows(1)
	defer func() { quotas[table] = declared }()
	for _, who := range []*exchange.Person{first, second} {
		if got := p.create(e, who); got != nil && exceeds(got) && !p.owns(e, who) {
			p.Find(e, who, got.Curl(), "it is answered %s, and the caller owns no such row: the rows of others fill the quota", problem.CodeQuotaExceeded)
		}
	}
	if !p.owns(e, first) { // the rows get another owner, or cannot be made
		return
	}
	if e.Bulk != nil { // its second new row exceeds the quota
		quotas[table] = declared.WithRows(2)
		if got := p.createOnce(e, second, true); got != nil && p.owned(e, second) > 2 {
			p.Find(e, second, got.Curl(), "it makes one row more than the quota of the owner")
		}
		quotas[table] = declared.WithRows(1)
	}
	switch got := p.createOnce(e, first, false); {
	case got == nil:
	case got.OK():
		p.Find(e, first, got.Curl(), "it makes one row more than the quota of the owner")
	case exceeds(got) && counts(got) > p.owned(e, first):
		p.Find(e, first, got.Curl(), "the error counts %d rows, and the caller owns %d: it counts rows of others", counts(got), p.owned(e, first))
	}
}

// create creates a row as a person, by several requests if some are rejected. It returns the last answer, nil if no request could be made.
func (p *prover) create(e *exchange.Endpoint, who *exchange.Person) *exchange.Answer {
	got, _ := p.SucceedAs(e, p.WriterLike(e, who, nil, ""), nil)
	return got
}

// createOnce is create by one request, for one row or two; nil if no request could be made.
func (p *prover) createOnce(e *exchange.Endpoint, who *exchange.Person, two bool) *exchange.Answer {
	w := p.WriterLike(e, who, nil, "")
	w.Two = two
	w.Vary()
	r, ok := p.RequestOf(e, w, nil)
	if !ok {
		return nil
	}
	got, _ := p.Perform(e, r, nil)
	return got
}

// owns reports whether a row of the table of an endpoint has a person as its owner.
func (p *prover) owns(e *exchange.Endpoint, who *exchange.Person) bool { return p.owned(e, who) > 0 }

// owned counts the rows of the table of an endpoint that have a person as their owner.
func (p *prover) owned(e *exchange.Endpoint, who *exchange.Person) int {
	return len(slices.DeleteFunc(p.RowsOf(e.Resource), func(one *fixture.Row) bool { return !one.RefersTo(who.Caller.IDText()) }))
}

// counts is the number of rows in the error of a quota, 0 without one.
func counts(got *exchange.Answer) int {
	var failed struct {
		Details struct {
			Count int `json:"count"`
		} `json:"details"`
	}
	if json.Unmarshal([]byte(got.Text), &failed) != nil {
		return 0
	}
	return failed.Details.Count
}

// exceeds reports whether an answer is the error of a quota.
func exceeds(got *exchange.Answer) bool {
	return got.Status == http.StatusConflict && strings.Contains(got.Text, problem.CodeQuotaExceeded)
}
