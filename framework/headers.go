package framework

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/problem"
)

// standardHeaders are what the reference says of them.
var standardHeaders = []Header{
	{Name: problem.HeaderRequestID, Doc: "The request's id, made by the server; its log has it too.", Required: true},
	{Name: problem.HeaderAllow, Doc: "The methods of this path.", Required: true},
	{Name: problem.HeaderIgnored, Doc: "What of the request had no effect, with the nearest known name."},
	{Name: problem.HeaderLocation, Doc: "The address of what was made.", Required: true},
	{Name: problem.HeaderReplayed, Doc: "true if the answer is that of an earlier request with the same key."},
	{Name: problem.HeaderChallenge, Doc: "The schemes by which callers are known here.", Required: true},
	{Name: problem.HeaderRetry, Doc: "After how many seconds to try again.", Required: true},
}

// headers are those of the endpoint's success.
func (e operation) headers() []Header {
	all := []Header{standardHeader(problem.HeaderRequestID), standardHeader(problem.HeaderAllow)}
	if !e.resource.strict {
		all = append(all, standardHeader(problem.HeaderIgnored))
	}
	if e.idempotent {
		all = append(all, standardHeader(problem.HeaderReplayed))
	}
	if location, sends := e.location(); sends {
		all = append(all, location)
	}
	return append(all, e.ownHeaders()...)
}

// headersOf are the standard headers that a refusal may have. Where some answers
// have one and others do not, it is told of all.
func (e operation) headersOf(status int, codes []string) []Header {
	all := []Header{standardHeader(problem.HeaderRequestID), standardHeader(problem.HeaderIgnored)}
	switch status {
	case http.StatusUnauthorized:
		challenge := standardHeader(problem.HeaderChallenge)
		challenge.Required = challenged(problem.Unauthenticated(), e.authentication).Header != nil
		return append(all, challenge)
	case http.StatusForbidden:
		return all // what is offered is kept back
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		all = append(all, standardHeader(problem.HeaderRetry))
	}
	if slices.Contains(codes, problem.CodeIdempotencyInProgress) {
		retry := standardHeader(problem.HeaderRetry)
		retry.Required = false // one conflict alone says when to try again
		all = append(all, retry)
	}
	allow := standardHeader(problem.HeaderAllow)
	allow.Required = !slices.Contains(beforeThePath, status)
	return append(all, allow)
}

// beforeThePath are the statuses of what may be refused before the path is
// known, and so without Allow.
var beforeThePath = []int{http.StatusBadRequest, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}

// ownHeaders are those that its function and the parts of its door set.
func (e operation) ownHeaders() []Header {
	all := slices.Clone(e.sends)
	for _, sender := range doorParts[Sender](e.door) {
		all = append(all, sender.Sends()...)
	}
	return all
}

// usualHeaders are those that the API's own schemes, throttles and permission
// set, so that any answer may have them.
func (a catalog) usualHeaders() []Header {
	c := a.config
	return newOperation(&endpoint{door: door{authentication: c.Authentication, throttles: c.Throttles, permission: c.Permission}}).ownHeaders()
}

func standardHeader(name string) Header {
	at := slices.IndexFunc(standardHeaders, func(h Header) bool { return h.Name == name })
	return standardHeaders[at]
}

// location is the header Location of the endpoint's success, if it sends one.
func (e operation) location() (h Header, sends bool) {
	h = standardHeader(problem.HeaderLocation)
	single := e.resource.declaration.single
	switch {
	case e.showsCreated(), e.kind == verbAccepts && e.route.Name == verbUpdate && single:
		h.Required = false // the first PUT alone creates; a function may leave the key out
	case e.kind == verbAccepts && e.route.Name == verbCreate && e.resource.hasAddresses():
		// Text may be blank, and then has no address.
		h.Required = e.resource.key == e.resource.pk && e.resource.key.IndirectType.Kind() != reflect.String
	default:
		return h, false
	}
	return h, true
}

// withoutLocation are the headers that an error may have.
func withoutLocation(headers []Header) []Header {
	return slices.DeleteFunc(headers, func(h Header) bool { return strings.EqualFold(h.Name, problem.HeaderLocation) })
}
