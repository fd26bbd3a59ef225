package verb

import (
	"net/http"
	"strings"

	"trestle.example/framework/problem"
)

// The headers of conditional requests.
const (
	HeaderIfMatch           = "If-Match"
	headerIfNoneMatch       = "If-None-Match"
	headerIfUnmodifiedSince = "If-Unmodified-Since"
)

// precondition rejects with 412 a write that depends on a version of the row, or on the row not
// existing (RFC 9110, section 13.1): rows have no versions, so the server cannot check the
// condition. A write without the check could overwrite a change of another client. An If-Match
// of * is accepted and not checked: a write of the framework to a missing row is 404 in any
// case. If-Match: * has no effect on a write that needs no row: on the collection, by a
// function, or by the PUT of a single resource, which inserts a missing row. A header that the
// declaration lists in Takes is left to the function of the endpoint.
func (e Handler) precondition(r *http.Request) error {
	switch {
	case !e.IsWrite():
		return nil
	case !e.Reads(HeaderIfMatch) && namesVersion(r.Header.Values(HeaderIfMatch)):
		return unsupportedPrecondition(HeaderIfMatch + " with a version")
	case !e.Reads(headerIfNoneMatch) && len(r.Header.Values(headerIfNoneMatch)) > 0:
		return unsupportedPrecondition(headerIfNoneMatch + " on a write")
	case !e.Reads(headerIfUnmodifiedSince) && len(r.Header.Values(headerIfUnmodifiedSince)) > 0:
		return unsupportedPrecondition(headerIfUnmodifiedSince)
	}
	return nil
}

// namesVersion reports whether the request has a header If-Match other than a single *.
func namesVersion(values []string) bool {
	return len(values) > 1 || len(values) == 1 && strings.TrimSpace(values[0]) != "*"
}

func unsupportedPrecondition(what string) *problem.Error {
	return problem.Refuse(http.StatusPreconditionFailed, problem.CodePreconditionUnsupported,
		what+" is not supported here, so nothing was changed; send the request without it, or with If-Match: *.")
}
