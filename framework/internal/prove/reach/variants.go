package reach

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/table"
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

// forms lists the valid request as a merge patch, for an answer without a body, with each parameter, and with the ETag and the time of change
// that the maker of the row gets.
func (p prover) forms(e *exchange.Endpoint, valid exchange.Request, one *fixture.Row) (all []exchange.Request) {
	for _, form := range e.Forms() {
		for name := range form {
			all = append(all, withHeader(valid, name, form.Get(name)))
		}
	}
	if e.Info.Method != http.MethodGet {
		return all
	}
	all = append(all, p.withParams(e, valid, one)...)
	if !e.HandsRows() {
		return all
	}
	if r, ok := p.RequestOf(e, p.WriterLike(e, one.By, one, ""), one); ok && p.Has(one.By, e, one) {
		got := p.Send(e, r)
		for _, by := range conditionsBy {
			if value := got.Header.Get(by.answer); value != "" {
				all = append(all, withHeader(valid, by.request, value))
			}
		}
	}
	return all
}

// conditionsBy has the headers of answers whose values a header of a request compares.
var conditionsBy = []struct{ answer, request string }{{conditional.HeaderETag, conditional.HeaderIfNoneMatch}, {"Last-Modified", "If-Modified-Since"}}

// withParams lists a request with a value of each parameter, but for that of deleted rows, which package deleted sends.
func (p prover) withParams(e *exchange.Endpoint, valid exchange.Request, one *fixture.Row) (all []exchange.Request) {
	for _, param := range e.Spec.Params {
		values := places.ValuesFor(param, false, one, p.KeysOf(one.Table))
		if len(values) == 0 || e.Deleted != nil && param.Name == table.ParamDeleted {
			continue
		}
		r := valid
		r.Query = strings.TrimPrefix(r.Query+"&"+url.Values{param.Name: values[:1]}.Encode(), "&")
		all = append(all, r)
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
