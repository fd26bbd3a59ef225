package describe

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/caching"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prefer"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// standardHeaders are the response headers that the framework sets, as the OpenAPI document
// describes them.
var standardHeaders = []call.Header{
	{Name: problem.HeaderRequestID, Doc: "The request's id, made by the server; its log has it too.", Required: true},
	{Name: problem.HeaderAllow, Doc: "The methods of this path.", Required: true},
	{Name: problem.HeaderIgnored, Doc: "What of the request had no effect, with the nearest known name."},
	{Name: problem.HeaderLocation, Doc: "The address of what was made.", Required: true},
	{Name: problem.HeaderReplayed, Doc: "true if the answer is that of an earlier request with the same key."},
	{Name: problem.HeaderChallenge, Doc: "The schemes by which callers are known here.", Required: true},
	{Name: problem.HeaderRetry, Doc: "After how many seconds to try again.", Required: true},
}

// fileHeaders are the headers of an answer that is a file.
var fileHeaders = []call.Header{
	{Name: "ETag", Doc: "The version of the content, for If-None-Match and If-Range.", Required: true},
	{Name: "Content-Disposition", Doc: "Whether a browser shows the file in place or saves it, and its name. An answer 304 lacks it."},
	{Name: "Accept-Ranges", Doc: "bytes: the header Range may name a part. An answer 304 lacks it."},
	{Name: "Last-Modified", Doc: "When the file was uploaded. An answer 304 lacks it."},
	{Name: "Content-Range", Doc: "Which bytes an answer 206 has."},
}

// etag is the ETag of a row or a list. It is not required: generators such as ogen make one type of a
// view and its headers, and functions may answer with the same view without it.
func etag() call.Header {
	return call.Header{Name: conditional.HeaderETag, Doc: "The version of the record, a dot and a hash of the body; of a list the hash alone. For If-Match and If-None-Match."}
}

// hashTag is the ETag of an answer that caches may keep, without versions.
func hashTag() call.Header {
	return call.Header{Name: conditional.HeaderETag, Doc: "A hash of the body, for If-None-Match."}
}

// control is Cache-Control of an answer that caches may keep.
func control(p *caching.Policy) call.Header {
	return call.Header{
		Name: caching.HeaderControl,
		Doc: "How caches may keep the answer: " + p.Public() + " if the request has no credentials, and " + caching.Private +
			" if it has. An answer with Set-Cookie, and an export, has no-store.",
	}
}

// cached lists the headers by which caches and clients know an answer again.
func (e Operation) cached() (all []call.Header) {
	switch {
	case e.IsTagged() && e.Resource.Version != nil:
		all = append(all, etag())
	case e.IsTagged():
		all = append(all, hashTag())
	}
	if e.Cache != nil {
		all = append(all, control(e.Cache))
	}
	return all
}

// applied is the header of an answer that lacks its body because the request prefers that.
func applied() call.Header {
	return call.Header{Name: prefer.HeaderApplied, Doc: prefer.ReturnMinimal + " if the answer has no body because the request prefers that."}
}

// pageLinks is the header Link of a list whose pages begin at cursors.
func pageLinks() call.Header {
	const doc = `The pages after and before this one: <URL>; rel="next" and <URL>; rel="prev". Absent if there is no other page.`
	return call.Header{Name: problem.HeaderLink, Doc: doc}
}

// takes lists the request headers that the framework reads, and those that the function of the
// endpoint reads.
func (e Operation) takes() []call.Header {
	all := slices.Clone(e.Takes)
	if e.Matches() {
		all = append(all, call.Header{
			Name: conditional.HeaderIfMatch, Required: e.NeedsMatch(),
			Doc: "The ETag of the record as it was read, several, or * for any. If the record has another version, nothing changes.",
		})
	}
	if e.IsTagged() && !e.IsWrite() {
		all = append(all, call.Header{Name: conditional.HeaderIfNoneMatch, Doc: "The ETag of an answer that the client has. If the answer is still the same, it is 304 without a body."})
	}
	return all
}

// FileHeaders lists the headers of the endpoint's answer if it is a file.
func (e Operation) FileHeaders() []call.Header {
	if !e.sendsFile() {
		return nil
	}
	return slices.Clone(fileHeaders)
}

// ExportHeaders lists the headers of an export of the endpoint, if it has one.
func (e Operation) ExportHeaders() []call.Header {
	if e.Exports == nil {
		return nil
	}
	return []call.Header{{Name: "Content-Disposition", Doc: "The name of the file of an export. A page of JSON lacks it."}}
}

// headers lists the headers of the endpoint's successes.
func (e Operation) headers() []call.Header {
	all := []call.Header{standardHeader(problem.HeaderRequestID), standardHeader(problem.HeaderAllow)}
	if !e.Resource.Strict {
		all = append(all, standardHeader(problem.HeaderIgnored))
	}
	if e.Idempotent {
		all = append(all, standardHeader(problem.HeaderReplayed))
	}
	all = append(all, e.FileHeaders()...)
	all = append(all, e.cached()...)
	if e.MayLackBody() {
		all = append(all, applied())
	}
	if e.HasCursors() {
		all = append(all, pageLinks())
	}
	all = append(all, e.ExportHeaders()...)
	if location, sends := e.location(); sends {
		all = append(all, location)
	}
	return append(all, e.OwnHeaders()...)
}

// headersOf lists the standard headers of an error with a status and one of the codes. A header
// that only some of these errors have is in the list, but not required.
func (e Operation) headersOf(status int, codes []string) []call.Header {
	all := []call.Header{standardHeader(problem.HeaderRequestID), standardHeader(problem.HeaderIgnored)}
	switch status {
	case http.StatusUnauthorized:
		challenge := standardHeader(problem.HeaderChallenge)
		challenge.Required = access.Challenged(problem.Unauthenticated(), e.Authentication).Header != nil
		return append(all, challenge)
	case http.StatusForbidden:
		return all // a 403 does not reveal the methods of the path
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		all = append(all, standardHeader(problem.HeaderRetry))
	}
	if slices.Contains(codes, problem.CodeIdempotencyInProgress) {
		retry := standardHeader(problem.HeaderRetry)
		retry.Required = false // of the conflicts, only this code has the header
		all = append(all, retry)
	}
	if status == http.StatusRequestedRangeNotSatisfiable {
		all = append(all, call.Header{Name: "Content-Range", Doc: "The length of the file.", Required: true})
	}
	if e.Matches() && slices.Contains(codes, problem.CodePreconditionFailed) {
		all = append(all, etag())
	}
	allow := standardHeader(problem.HeaderAllow)
	allow.Required = !slices.Contains(beforeThePath, status) && !slices.Contains(codes, problem.CodeInvalidHost)
	return append(all, allow)
}

// beforeThePath are the statuses of errors that the server may answer before it has found the
// path. An error that is answered that early has no header Allow.
var beforeThePath = []int{http.StatusBadRequest, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}

// OwnHeaders lists the response headers that the endpoint's function sets, and those that its
// schemes, throttles and permission set.
func (e Operation) OwnHeaders() []call.Header {
	all := slices.Clone(e.Sends)
	for _, sender := range access.AllParts[call.Sender](e.Check) {
		all = append(all, sender.Sends()...)
	}
	return all
}

// usualHeaders lists the response headers that the schemes, throttles and permission of the API
// set. Every answer may have them.
func (a Catalog) usualHeaders() []call.Header {
	c := a.Config
	return NewOperation(&table.Endpoint{Check: access.Check{Authentication: c.Authentication, Throttles: c.Throttles, Permission: c.Permission}}).OwnHeaders()
}

func standardHeader(name string) call.Header {
	at := slices.IndexFunc(standardHeaders, func(h call.Header) bool { return h.Name == name })
	return standardHeaders[at]
}

// location returns the header Location of the endpoint's successes, and whether a success may
// have it. If h.Required is true, every success has it. It is not required if the same view is also the
// answer of an endpoint that may leave the header out: generators such as ogen make one type of a view
// and its headers, and their code would not compile.
func (e Operation) location() (h call.Header, sends bool) {
	h = standardHeader(problem.HeaderLocation)
	switch {
	case e.Creates != nil, e.MayInsert():
		h.Required = false // only the first PUT creates a row; the answer of a function may lack the key
	case e.Kind == declare.VerbAccepts && e.Route.Name == call.VerbCreate && e.Resource.HasAddresses():
		h.Required = e.alwaysLocated() && !slices.ContainsFunc(e.Catalog().Operations(), func(other Operation) bool {
			return other.Out == e.Out && (other.Creates != nil || other.MayInsert())
		})
	default:
		return h, false
	}
	return h, true
}

// alwaysLocated reports whether every row that a create stores has an address. A row whose key is an
// empty text has none.
func (e Operation) alwaysLocated() bool {
	return e.Resource.Key == e.Resource.Pk && e.Resource.Key.IndirectType.Kind() != reflect.String
}

// withoutLocation removes Location from headers: an error never has it.
func withoutLocation(headers []call.Header) []call.Header {
	return slices.DeleteFunc(headers, func(h call.Header) bool { return strings.EqualFold(h.Name, problem.HeaderLocation) })
}

// StandardHeaders lists the response headers that the framework sets, as the OpenAPI document
// describes them.
func StandardHeaders() []call.Header { return slices.Clone(standardHeaders) }
