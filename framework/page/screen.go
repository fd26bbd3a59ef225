package page

import "trestle.example/framework"

// Screen serves screens that show the number of pages. The parameters are page and limit.
// The answer is {"items", "page", "limit", "total", "totalPages", "hasNext"}. The total
// is always exact.
//
// A page or limit that is below 1, exceeds 64 bits or is not a whole number is answered 400.
// Any other limit above MaxSize counts as MaxSize; the member limit of the answer states the
// limit in use. A page past the end is 200 with no items and the exact total.
type Screen struct {
	// Size is how many rows a page has without a limit. Defaults to 20.
	Size int
	// MaxSize is the maximum limit. Defaults to 100. A value below Size counts as Size.
	MaxSize int
}

// Params implements [framework.Pagination].
func (s Screen) Params() []framework.Param {
	return []framework.Param{pageNumberParam(), pageSizeParam(s.sizes())}
}

// Window implements [framework.Pagination].
func (s Screen) Window(v framework.Values) (framework.Window, error) {
	number, numberErr := atLeast(1, v, pageParam, 1)
	limit, limitErr := atLeast(1, v, limitParam, s.sizes().of)
	if err := joinInvalid(numberErr, limitErr); err != nil {
		return framework.Window{}, err
	}
	limit = min(limit, s.sizes().most)
	w := framework.Window{Limit: limit, Offset: farthest, Number: number}
	if number-1 <= farthest/limit {
		w.Offset = (number - 1) * limit
	}
	return w, nil
}

// Envelope implements [framework.Pagination].
func (s Screen) Envelope(p framework.Page) (framework.Envelope, error) {
	pages := p.Total.Count / max(p.Limit, 1)
	if pages*p.Limit < p.Total.Count {
		pages++
	}
	return framework.Envelope{
		{Name: "items", Value: framework.Items{}, Doc: "The rows of this page."},
		{Name: "page", Value: p.Number, Doc: "The page's number, from 1."},
		{Name: "limit", Value: p.Limit, Doc: "How many rows a page has."},
		{Name: "total", Value: p.Total.Count, Doc: "How many rows match in all."},
		{Name: "totalPages", Value: pages, Doc: "How many pages they fill."},
		{Name: "hasNext", Value: p.More, Doc: "Whether a page follows."},
	}, nil
}

func (s Screen) sizes() sizes { return newSizes(s.Size, s.MaxSize) }
