package verb

import (
	"errors"
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// precondition reads the preconditions of a write (RFC 9110, section 13.1). If-Match of a row that
// has versions becomes Match of the request; without it, a viewset that requires it answers 428. Any
// other precondition is the error 412, because the server cannot check it: a write without the check
// could overwrite a change of another client. An If-Match of * is accepted anywhere, and checked if
// the row has versions. A header that the declaration lists in Takes is left to the function of the
// endpoint.
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
	case conditional.ReadMatch(sent(conditional.HeaderIfMatch)).NamesVersion():
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

func unsupportedPrecondition(what string) *problem.Error {
	return problem.Refuse(http.StatusPreconditionFailed, problem.CodePreconditionUnsupported,
		what+" is not supported here, so nothing was changed; send the request without it, or with If-Match: *.")
}

// tag sets the ETag of an answer, and makes a read whose answer the client has already a 304. Caches may keep both as the
// endpoint declares.
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
	if resp.Status == http.StatusOK || resp.Status == http.StatusNotModified {
		resp.Cache = e.Cache
	}
	return nil
}

// tagOf is the ETag of an answer that is not finished.
func (e Handler) tagOf(c *call.Call, resp *table.Response) (string, error) {
	if err := e.finish(c, resp); err != nil {
		return "", err
	}
	err := resp.Encode()
	return conditional.Tag(resp.Version, resp.Body), err
}

// current is the ETag that a read of the row of a request has now. It is "" if the viewset has no
// such read, if the caller may not use it, or if it does not find the row.
func (e Handler) current(c *call.Call, req *table.Request) (tag string, err error) {
	read := e.Resource.Retrieving()
	if read == nil || !read.IsTagged() {
		return "", nil
	}
	reading := *c
	reading.Route = read.Route
	if !read.Permission.Permit(&reading) {
		return "", nil
	}
	resp, err := read.Serve(&reading, &table.Request{HTTP: req.HTTP, Key: req.Key, Above: req.Above})
	switch {
	case fault.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", err
	}
	return Handler{read}.tagOf(&reading, resp)
}

// withCurrent gives the error of an If-Match that names another version the ETag that a read of the
// row has now, if the caller may read it. Otherwise the error has none: a hash of columns that a caller
// does not see would let the caller check guesses of their values.
func (e Handler) withCurrent(c *call.Call, req *table.Request, err error) error {
	refusal, ok := errors.AsType[*problem.Error](err)
	if req.Match == nil || !ok || refusal.Code != problem.CodePreconditionFailed {
		return err
	}
	var tag string
	readErr := fault.Protect(func() (err error) {
		tag, err = e.current(c, req)
		return err
	})
	if readErr != nil || tag == "" {
		return err
	}
	current := *refusal
	current.Header = map[string]string{conditional.HeaderETag: tag}
	return &current
}
