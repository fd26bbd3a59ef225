package framework

import (
	"net/http"
	"strings"

	"trestle.example/framework/internal/input"
)

// serveRoot answers the API root, which takes no parameters.
func serveRoot(a catalog, root *endpoint) opening {
	return func(c *Call, r *http.Request) (*response, error) {
		query, err := input.ReadQuery(r)
		if err != nil {
			return nil, err
		}
		if err := newHandler(root).ignoreQuery(c, query); err != nil {
			return nil, err
		}
		return &response{status: http.StatusOK, value: entriesOf(a, r)}, nil
	}
}

// entriesOf are the API root: every way in by its name, in order of registration.
func entriesOf(a catalog, r *http.Request) listAnswer {
	var entries Envelope
	for _, res := range a.resources {
		for _, at := range res.entries() {
			entries = append(entries, Member{Name: strings.Trim(at, "/"), Value: a.origin.url(r, at)})
		}
	}
	return listAnswer{envelope: entries}
}
