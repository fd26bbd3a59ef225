package reach

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/mergepatch"
	"trestle.example/framework/internal/prefer"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
)

// variantsFor lists the requests to try: those with faults are left out if the person is rejected anyway, or others have sent them.
// The first person also sends the request in other forms.
func (p prover) variantsFor(e *exchange.Endpoint, valid exchange.Request, one *fixture.Row, refused, hidden bool, left map[bool]int) []exchange.Request {
	all := p.variants(e, valid)
	if refused || left[hidden] == 0 {
		return all[:2]
	}
	if left[hidden] == mostFaulty {
		all = append(all, p.forms(e, valid, one)...)
	}
	left[hidden]--
	return all
}

// forms lists the valid request as a merge patch, for an answer without a body, and with the ETag that the maker of the row gets.
func (p prover) forms(e *exchange.Endpoint, valid exchange.Request, one *fixture.Row) (all []exchange.Request) {
	if e.TakesMergePatch() {
		all = append(all, withHeader(valid, "Content-Type", mergepatch.Media))
	}
	if e.MayLackBody() {
		all = append(all, withHeader(valid, prefer.Header, prefer.ReturnMinimal))
	}
	if e.Info.Method != http.MethodGet || !e.HandsRows() {
		return all
	}
	if r, ok := p.RequestOf(e, p.WriterLike(e, one.By, one, ""), one); ok && p.Has(one.By, e, one) {
		if tag := p.Send(e, r).Header.Get(conditional.HeaderETag); tag != "" {
			all = append(all, withHeader(valid, conditional.HeaderIfNoneMatch, tag))
		}
	}
	return all
}

// withHeader is a request with a header.
func withHeader(r exchange.Request, name, value string) exchange.Request {
	if r.Header = r.Header.Clone(); r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(name, value)
	return r
}

// variants lists the requests to try: the valid one, one with other parameters, some with conditions, and some that are faulty for
// any row. A fault must not be reported sooner for a row that exists.
func (p prover) variants(e *exchange.Endpoint, valid exchange.Request) []exchange.Request {
	all := append([]exchange.Request{valid, valid}, conditions(e, valid)...)
	all[1].Query = "page=0&search=x&unknown=1&ordering=-"
	bodies := faultyBodies
	switch {
	case valid.Body == nil:
		bodies = bodies[:1]
	case valid.By == p.People[2]: // one person is enough for a body that takes long
		bodies = append(slices.Clip(bodies), strings.Repeat(" ", mostOfBody))
	}
	for _, body := range bodies {
		faulty := valid
		faulty.Body = []byte(body)
		all = append(all, faulty)
	}
	return all
}

// conditions lists the valid request with conditions about the version of the row.
func conditions(e *exchange.Endpoint, valid exchange.Request) (all []exchange.Request) {
	add := func(name string, values ...string) {
		for _, value := range values {
			all = append(all, withHeader(valid, name, value))
		}
	}
	switch {
	case e.Matches():
		add(conditional.HeaderIfMatch, "*", `"0", "1"`)
	case e.IsTagged() && !e.IsWrite():
		add(conditional.HeaderIfNoneMatch, "*", `"0"`)
	}
	return all
}

// faultyBodies are bodies that no endpoint accepts for a row, or that change nothing.
var faultyBodies = []string{"{", "", "{}", "[]", "{\"name\":\"\xff\"}", `{"unknown member":1}`}

// mostOfBody is a length beyond the usual limit of bodies.
const mostOfBody = 2 << 20
