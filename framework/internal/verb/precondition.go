package verb

import (
	"errors"
	"net/http"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// precondition reads the preconditions of a write (RFC 9110, section 13.1). If-Match of a row that
// has versions becomes Match of the request; without it, a viewset that requires it answers 428. Any
// other precondition is the error 412, because the server cannot check it: a write without the check
// could overwrite a change of another client. An If-Match of * is accepted anywhere, and checked if
// the row has versions: a write of the framework to a missing row is 404 in any case. A header that
// the declaration lists in Takes is left to the function of the endpoint.
func (e Handler) precondition(req *table.Request) error {
	if !e.IsWrite() {
		return nil
	}
	sent := func(name string) []string {
		if e.Reads(name) {
			return nil
		}
		return req.HTTP.Header.Values(name)
	}
	switch {
	case e.Matches():
		if req.Match = conditional.ReadMatch(sent(conditional.HeaderIfMatch)); req.Match == nil && e.NeedsMatch() {
			return conditional.Required()
		}
	case namesVersion(sent(conditional.HeaderIfMatch)):
		return unsupportedPrecondition(conditional.HeaderIfMatch + " with a version")
	}
	switch {
	case len(sent(conditional.HeaderIfNoneMatch)) > 0:
		return unsupportedPrecondition(conditional.HeaderIfNoneMatch + " on a write")
	case len(sent(conditional.HeaderIfUnmodifiedSince)) > 0:
		return unsupportedPrecondition(conditional.HeaderIfUnmodifiedSince)
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

// tag sets the ETag of an answer, and makes a read whose answer the client has already a 304.
func (e Handler) tag(c *call.Call, resp *table.Response) error {
	if !e.IsTagged() || resp.Value == nil {
		return nil
	}
	if err := resp.Encode(); err != nil {
		return err
	}
	tag := conditional.Tag(resp.Version, resp.Body)
	c.Header().Set(conditional.HeaderETag, tag)
	if r := c.Request(); !e.IsWrite() && r != nil && conditional.Unchanged(r.Header.Values(conditional.HeaderIfNoneMatch), tag) {
		*resp = table.Response{Status: http.StatusNotModified}
	}
	return nil
}

// withCurrent gives the error of an If-Match that names another version the ETag that a read of the
// row has now. It returns the error unchanged if the viewset has no such read, or if the caller may not
// use it: then the error has the version alone.
func (e Handler) withCurrent(c *call.Call, req *table.Request, err error) error {
	refusal, ok := errors.AsType[*problem.Error](err)
	read := e.Resource.Retrieving()
	if req.Match == nil || !ok || refusal.Code != problem.CodePreconditionFailed || read == nil {
		return err
	}
	reading := *c
	reading.Route = read.Route
	if !read.Permission.Permit(&reading) {
		return err
	}
	resp, readErr := read.Serve(&reading, &table.Request{HTTP: req.HTTP, Key: req.Key, Above: req.Above})
	if readErr == nil {
		readErr = Handler{read}.finish(&reading, resp)
	}
	if readErr == nil {
		readErr = resp.Encode()
	}
	if readErr != nil { // the row does not exist any more, or is not in the scope of reads
		return err
	}
	current := *refusal
	current.Header = map[string]string{conditional.HeaderETag: conditional.Tag(resp.Version, resp.Body)}
	return &current
}
