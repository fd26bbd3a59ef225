package history

import (
	"net/url"
	"reflect"
	"strconv"

	"github.com/google/uuid"

	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// Pages divides the entries about a row into pages of entries, the newest first. It implements [query.Pagination].
type Pages struct{}

// ParamBefore is the parameter with the id of an entry.
const ParamBefore = "before"

const (
	paramSize = "page_size"
	usualSize = 20
	mostSize  = 100
)

// Params implements [query.Pagination].
func (Pages) Params() []query.Param {
	return []query.Param{
		{Name: ParamBefore, Type: reflect.TypeFor[uuid.UUID](), Doc: "The id of an entry: the page has older ones. Without it, the page has the newest."},
		{Name: paramSize, Type: reflect.TypeFor[int64](), Minimum: 1, Doc: "How many entries a page has: 20 without it, and 100 at most."},
	}
}

// Window implements [query.Pagination].
func (Pages) Window(v query.Values) (query.Window, error) {
	w := query.Window{Limit: usualSize, Counting: query.NoCount()}
	if v[paramSize] == "" {
		return w, nil
	}
	size, err := strconv.ParseInt(v[paramSize], 10, 64)
	if err != nil || size < 1 {
		return w, problem.InvalidParameter(paramSize, "must be a whole number of at least 1")
	}
	w.Limit = min(size, mostSize)
	return w, nil
}

// Envelope implements [query.Pagination].
func (Pages) Envelope(p query.Page) (query.Envelope, error) {
	var next *string
	if p.Next != "" {
		link := p.Link(url.Values{ParamBefore: {p.Next}})
		next = &link
	}
	return query.Envelope{
		{Name: "next", Value: next, Doc: "URL of the page with older entries; null on the last."},
		{Name: "results", Value: query.Items{}, Doc: "The entries of this page, the newest first."},
	}, nil
}
