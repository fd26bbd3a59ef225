package page

import (
	"net/url"

	"trestle.example/framework"
)

// Cursor divides a list into pages that begin at a place in its order, as CursorPagination of Django
// REST Framework does. The parameter is cursor, and the answer is {"next", "previous", "results"} with
// absolute links that keep the other parameters. The header Link has the same links, as next and prev.
//
// A page costs the same wherever it is in the list, if an index has the order. Rows that other requests
// add or delete meanwhile move no other row to another page: a client that follows next gets every row
// that exists throughout exactly once, in order. There is no total, and no page by its number.
//
// A cursor has the values of the order at its place, encrypted by [framework.Config].CursorKeys. It
// belongs to the caller, the list, its filters and its order: with others, and if it is no cursor at
// all, the answer is 400. It works with every order but that of a ranked search, which is a mistake at
// start.
type Cursor struct {
	// Size is how many rows a page has. Defaults to 20.
	Size int
	// SizeParam is the parameter with which the client chooses the size, as in [Number]. Defaults to
	// none.
	SizeParam string
	// MaxSize is the largest size that a client may choose. Defaults to 100. A value below
	// Size counts as Size.
	MaxSize int
}

const cursorParam = "cursor"

// Params implements [framework.Pagination].
func (c Cursor) Params() []framework.Param {
	params := []framework.Param{{Name: cursorParam, Doc: "Where the page begins: the cursor in the link next or previous of an earlier answer."}}
	if c.SizeParam != "" {
		size := pageSizeParam(c.sizes())
		size.Name = c.SizeParam
		params = append(params, size)
	}
	return params
}

// Window implements [framework.Pagination].
func (c Cursor) Window(v framework.Values) (framework.Window, error) {
	limit, err := atLeast(1, v, c.SizeParam, c.sizes().of)
	return framework.Window{
		Limit: min(limit, c.sizes().most), Counting: framework.NoCount(),
		Keyset: &framework.Keyset{Param: cursorParam, Cursor: v[cursorParam]},
	}, err
}

// Envelope implements [framework.Pagination].
func (Cursor) Envelope(p framework.Page) (framework.Envelope, error) {
	to := func(cursor string) *string {
		if cursor == "" {
			return nil
		}
		return link(p, url.Values{cursorParam: {cursor}})
	}
	return framework.Envelope{
		{Name: "next", Value: to(p.Next), Doc: "URL of the next page; null on the last."},
		{Name: "previous", Value: to(p.Previous), Doc: "URL of the page before; null on the first."},
		{Name: "results", Value: framework.Items{}, Doc: "The rows of this page."},
	}, nil
}

func (c Cursor) sizes() sizes { return newSizes(c.Size, c.MaxSize) }
