package web

import (
	"net/http"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/query"
)

// serveRoot returns the opening of the API root. The API root takes no parameters, so it handles
// every parameter as any endpoint handles an unknown one.
func serveRoot(a describe.Catalog, root *table.Endpoint) opening {
	return func(c *call.Call, r *http.Request) (*table.Response, error) {
		query, err := input.ReadQuery(r)
		if err != nil {
			return nil, err
		}
		if err := verb.NewHandler(root).IgnoreQuery(c, query); err != nil {
			return nil, err
		}
		return &table.Response{Status: http.StatusOK, Value: entriesOf(a, r)}, nil
	}
}

// entriesOf lists the addresses of the API root by name, in order of registration.
func entriesOf(a describe.Catalog, r *http.Request) view.ListAnswer {
	var entries query.Envelope
	for _, res := range a.Resources {
		for _, at := range res.Entries() {
			entries = append(entries, query.Member{Name: strings.Trim(at, "/"), Value: a.Origin.URL(r, at)})
		}
	}
	return view.ListAnswer{Envelope: entries}
}
