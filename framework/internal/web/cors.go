package web

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/prefer"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// cors lets pages of other origins send requests and read the answers (CORS in the Fetch
// standard). An origin is allowed if it is exactly one of the configured origins. Answers to
// other origins lack the CORS headers, so browsers hide them from the page.
type cors struct {
	origins []string
	takes   string // the request headers that a page may send
	exposes string // the response headers that a page may read
}

// corsMethods are the methods that a page may use.
const corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

// newCORS makes the cors of an API. It returns nil for an API without configured origins.
func newCORS(a describe.Catalog) *cors {
	if len(a.Config.CORS) == 0 {
		return nil
	}
	takes := []string{"Authorization", "Content-Encoding", "Content-Type", problem.IdempotencyHeader, problem.HeaderRequestID, conditional.HeaderIfMatch}
	var exposes []string
	for _, h := range describe.StandardHeaders() {
		exposes = append(exposes, h.Name)
	}
	for _, e := range a.Operations() {
		for _, h := range slices.Concat(e.OwnHeaders(), e.FileHeaders(), e.ExportHeaders()) {
			exposes = append(exposes, h.Name)
		}
		for _, h := range e.Takes {
			takes = append(takes, h.Name)
		}
		if e.IsTagged() {
			exposes, takes = append(exposes, conditional.HeaderETag), append(takes, conditional.HeaderIfNoneMatch)
		}
		if e.MayLackBody() {
			exposes, takes = append(exposes, prefer.HeaderApplied), append(takes, prefer.Header)
		}
		if e.HasCursors() {
			exposes = append(exposes, problem.HeaderLink)
		}
		if e.File != nil {
			takes = append(takes, "Content-Disposition", "If-None-Match", "If-Range", "Range")
		}
	}
	return &cors{a.Config.CORS, headerList(takes), headerList(exposes)}
}

// headerList joins names as the value of a header, without duplicates and without Set-Cookie,
// which pages can never read.
func headerList(names []string) string {
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return strings.EqualFold(name, "Set-Cookie") })
	return strings.Join(names, ", ")
}

// allow adds Vary to an answer and, if the request's origin is allowed, the CORS headers. It
// reports whether the request is a preflight request of an allowed origin. A nil cors adds
// nothing and returns false.
func (o *cors) allow(h http.Header, r *http.Request) (preflight bool) {
	if o == nil {
		return false
	}
	h.Add("Vary", "Origin")
	origins := r.Header["Origin"]
	if len(origins) != 1 || !slices.Contains(o.origins, origins[0]) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origins[0])
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		return true
	}
	h.Set("Access-Control-Expose-Headers", o.exposes)
	return false
}

// preflight answers a preflight request with the allowed methods and headers. They are the same
// for every path: if a path does not have the method, the request itself is rejected.
func (o *cors) preflight(c *call.Call) (*table.Response, error) {
	c.Header().Set("Access-Control-Allow-Methods", corsMethods)
	c.Header().Set("Access-Control-Allow-Headers", o.takes)
	c.Header().Set("Access-Control-Max-Age", "600")
	return &table.Response{Status: http.StatusNoContent}, nil
}
