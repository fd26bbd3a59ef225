package framework

import (
	"net/http"
	"slices"
)

// The headers of answers that are not HTTP's own business alone.
const (
	headerRequestID = "X-Request-Id"
	headerAllow     = "Allow"
	headerIgnored   = "Trestle-Ignored"
	headerLocation  = "Location"
	headerReplayed  = "Idempotent-Replayed"
	headerChallenge = "WWW-Authenticate"
	headerRetry     = "Retry-After"
)

// standardHeaders are what the reference says of them.
var standardHeaders = []Header{
	{Name: headerRequestID, Doc: "The request's id, made by the server; its log has it too.", Required: true},
	{Name: headerAllow, Doc: "The methods of this path.", Required: true},
	{Name: headerIgnored, Doc: "What of the request had no effect, with the nearest known name."},
	{Name: headerLocation, Doc: "The address of what was made.", Required: true},
	{Name: headerReplayed, Doc: "true if the answer is that of an earlier request with the same key."},
	{Name: headerChallenge, Doc: "The schemes by which callers are known here.", Required: true},
	{Name: headerRetry, Doc: "After how many seconds to try again.", Required: true},
}

// headers are those of the endpoint's success.
func (e *endpoint) headers() []Header {
	all := []Header{standardHeader(headerRequestID), standardHeader(headerAllow)}
	if !e.resource.strict {
		all = append(all, standardHeader(headerIgnored))
	}
	if e.idempotent {
		all = append(all, standardHeader(headerReplayed))
	}
	if location, sends := e.location(); sends {
		all = append(all, location)
	}
	return append(all, e.ownHeaders()...)
}

// headersOf are the standard headers that a refusal may have. Where some answers
// have one and others do not, it is told of all.
func (e *endpoint) headersOf(status int, codes []string) []Header {
	all := []Header{standardHeader(headerRequestID), standardHeader(headerIgnored)}
	switch status {
	case http.StatusUnauthorized:
		challenge := standardHeader(headerChallenge)
		challenge.Required = challenged(Unauthenticated(), e.authentication).Header != nil
		return append(all, challenge)
	case http.StatusForbidden:
		return all // what is offered is kept back
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		all = append(all, standardHeader(headerRetry))
	}
	if slices.Contains(codes, CodeIdempotencyInProgress) {
		retry := standardHeader(headerRetry)
		retry.Required = false // one conflict alone says when to try again
		all = append(all, retry)
	}
	allow := standardHeader(headerAllow)
	allow.Required = !slices.Contains(beforeThePath, status)
	return append(all, allow)
}

// beforeThePath are the statuses of what may be refused before the path is
// known, and so without Allow.
var beforeThePath = []int{http.StatusBadRequest, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}

// ownHeaders are those that its function and the parts of its door set.
func (e *endpoint) ownHeaders() []Header {
	all := slices.Clone(e.sends)
	for _, sender := range doorParts[Sender](e.door) {
		all = append(all, sender.Sends()...)
	}
	return all
}

// usualHeaders are those that the API's own schemes, throttles and permission
// set, so that any answer may have them.
func (w *specWriter) usualHeaders() []Header {
	c := w.api.config
	return (&endpoint{door: door{c.Authentication, c.Throttles, c.Permission}}).ownHeaders()
}

func standardHeader(name string) Header {
	at := slices.IndexFunc(standardHeaders, func(h Header) bool { return h.Name == name })
	return standardHeaders[at]
}
