package web

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
)

// cors lets pages of other origins send requests and read the answers, as the
// Fetch standard has it. An origin is allowed if it is one of those that were
// named, to the letter; the answers to others have nothing of it, so that browsers
// keep them from the page.
type cors struct {
	origins []string
	takes   string // headers that a page may send
	exposes string // headers of answers that it may read
}

// corsMethods are those that a page may ask with.
const corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

// newCORS is nil for an API without such origins.
func newCORS(a describe.Catalog) *cors {
	if len(a.Config.CORS) == 0 {
		return nil
	}
	takes := []string{"Authorization", "Content-Type", problem.IdempotencyHeader, verb.HeaderIfMatch}
	var exposes []string
	for _, h := range describe.StandardHeaders() {
		exposes = append(exposes, h.Name)
	}
	for _, e := range a.Operations() {
		for _, h := range e.OwnHeaders() {
			exposes = append(exposes, h.Name)
		}
		for _, h := range e.Takes {
			takes = append(takes, h.Name)
		}
	}
	return &cors{a.Config.CORS, headerList(takes), headerList(exposes)}
}

// headerList are names as a header lists them, each once. Pages never see cookies.
func headerList(names []string) string {
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return strings.EqualFold(name, "Set-Cookie") })
	return strings.Join(names, ", ")
}

// allow adds what an answer says of the request's origin. It reports whether the
// request asks whether another may be sent.
func (o *cors) allow(h http.Header, r *http.Request) (asks bool) {
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

// preflight answers what may be sent, whatever is asked: the request itself is
// refused where it is not offered.
func (o *cors) preflight(c *call.Call) (*table.Response, error) {
	c.Header().Set("Access-Control-Allow-Methods", corsMethods)
	c.Header().Set("Access-Control-Allow-Headers", o.takes)
	c.Header().Set("Access-Control-Max-Age", "600")
	return &table.Response{Status: http.StatusNoContent}, nil
}
