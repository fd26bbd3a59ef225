package lists

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/spec"
)

// TryTags compares the ETags that two callers get for a list, or for a row that both see. If the ETag of one answer counts as that of the
// other one, a client shows a caller what another one got. Package check compares those of all answers.
func TryTags(c *check.Checker, e *exchange.Endpoint, on *fixture.Row) {
	p := prover{c}
	p.tryTags(e, on)
	p.tryChosen(e, on)
}

// tryChosen reads a list, or a row, with all names that a parameter may choose, such as the members of the answer, and with each name of a
// hidden field alone: as the first person who does not see a field, and as the first one who sees all fields. What each may see, and the
// ETags, are checked with each answer.
func (p prover) tryChosen(e *exchange.Endpoint, on *fixture.Row) {
	if e.Info.Method != http.MethodGet || !e.HandsRows() || len(e.Resource.Fields) == 0 {
		return
	}
	tried := map[bool]bool{}
	for _, who := range e.Callers {
		r, ok := p.RequestOf(e, p.WriterLike(e, who, on, ""), on)
		hides := fieldrule.AnyHides(p.CallOf(who, fixture.Listing(e.Resource)), e.Resource.Fields)
		if !ok || tried[hides] || e.Access(who) == spec.AccessRefused || on != nil && !p.Has(who, e, on) {
			continue
		}
		tried[hides] = true
		for _, param := range e.Spec.Params {
			for _, value := range chosenBy(e, param, hides) {
				r.Query = url.Values{param.Name: {value}}.Encode()
				p.Send(e, r)
			}
		}
	}
}

// chosenBy lists values of a parameter that chooses names: all names, and each name of a field with a rule if the rules hide one; none for any
// other parameter.
func chosenBy(e *exchange.Endpoint, param spec.Param, hides bool) []string {
	names := places.Names(param)
	if len(names) == 0 {
		return nil
	}
	chosen := []string{strings.Join(names, ",")}
	for _, rule := range e.Resource.Fields {
		if hides && slices.Contains(names, rule.Name) {
			chosen = append(chosen, rule.Name)
		}
	}
	return chosen
}

// tryTags sends the requests of callers until one gets another answer than the first one.
func (p prover) tryTags(e *exchange.Endpoint, on *fixture.Row) {
	if e.Info.Method != http.MethodGet || !e.HandsRows() {
		return
	}
	var first *exchange.Answer
	for _, who := range e.Callers {
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
		return
	}
	p.Send(e, first.Request) // a cache may keep the last ETag alone
	r := got.Request
	r.Header = http.Header{conditional.HeaderIfNoneMatch: {tag}}
	if again := p.Send(e, r); again.Status == http.StatusNotModified {
		p.Find(e, got.By, again.Curl(), "it is answered 304, and the ETag is that of another answer to another caller")
	}
}
