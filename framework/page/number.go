package page

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"trestle.example/framework"
)

// Number divides a list into numbered pages, as PageNumberPagination of Django REST
// Framework does. The parameter is page, the first page is 1, and the answer is {"count",
// "next", "previous", "results"}. Links are absolute and keep the other parameters; a
// link to the first page has no page.
//
// A page that is 0, negative, not a whole number or past the end is answered 404, as in
// Django REST Framework. If the value is not a page number, the member errors names the
// parameter, as the 400 of [Screen] does. The first page of an empty list is 200 with no
// rows.
type Number struct {
	// Size is how many rows a page has. Defaults to 20.
	Size int
	// SizeParam is the parameter with which the client chooses the size, such as
	// "page_size". A value that is not a whole number above 0, or that exceeds 64 bits, is
	// answered 400. Any other value above MaxSize counts as MaxSize. Defaults to none.
	SizeParam string
	// MaxSize is the largest size that a client may choose. Defaults to 100. A value below
	// Size counts as Size.
	MaxSize int
	// Count states how rows are counted. Defaults to framework.ExactCount. With
	// framework.NoCount the count is null. With framework.CappedCount or
	// framework.EstimatedCount the answer also has the member count_is: "exact",
	// "at_least" or "estimate".
	Count framework.Counting
}

const pageParam = "page"

// Params implements [framework.Pagination].
func (n Number) Params() []framework.Param {
	params := []framework.Param{pageNumberParam()}
	if n.SizeParam != "" {
		size := pageSizeParam(n.sizes())
		size.Name = n.SizeParam
		params = append(params, size)
	}
	return params
}

// Window implements [framework.Pagination].
func (n Number) Window(v framework.Values) (framework.Window, error) {
	limit, err := atLeast(1, v, n.SizeParam, n.sizes().of)
	if err != nil {
		return framework.Window{}, err
	}
	w := framework.Window{Limit: min(limit, n.sizes().most), Counting: n.Count}
	if w.Number, err = atLeast(1, v, pageParam, 1); err != nil {
		return framework.Window{}, notANumber(err)
	}
	if w.Number-1 > farthest/w.Limit {
		return framework.Window{}, pageNotFound(fmt.Sprintf("There is no page %d.", w.Number))
	}
	w.Offset = (w.Number - 1) * w.Limit
	return w, nil
}

// Envelope implements [framework.Pagination].
func (n Number) Envelope(p framework.Page) (framework.Envelope, error) {
	if p.Number > 1 && p.Rows == 0 {
		return nil, pageNotFound(fmt.Sprintf("There is no page %d.", p.Number))
	}
	var next, previous *string
	if p.More {
		next = link(p, url.Values{pageParam: {strconv.FormatInt(p.Number+1, 10)}})
	}
	if p.Number == 2 {
		previous = link(p, url.Values{pageParam: nil})
	}
	if p.Number > 2 {
		previous = link(p, url.Values{pageParam: {strconv.FormatInt(p.Number-1, 10)}})
	}
	return results(p, n.Count, next, previous), nil
}

// Refuses implements [framework.Refuser]: not_found, for a page that does not exist.
func (Number) Refuses() []string { return []string{framework.CodeNotFound} }

// notANumber returns a 404 that names the parameter, with the same fault as the classes
// that answer 400.
func notANumber(invalid error) error {
	e := framework.Refuse(http.StatusNotFound, framework.CodeNotFound, "A page is a whole number from 1.")
	if named, ok := errors.AsType[*framework.Error](invalid); ok {
		e.Faults = named.Faults
	}
	return e
}

// pageNotFound returns a 404 that states the reason, because a page number discloses nothing.
func pageNotFound(why string) error {
	return framework.Refuse(http.StatusNotFound, framework.CodeNotFound, why)
}

func (n Number) sizes() sizes { return newSizes(n.Size, n.MaxSize) }
