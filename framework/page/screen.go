package page

import "trestle.example/framework"

// Screen serves screens that show how many pages there are: the parameters are
// page and limit, the answer is {"items", "page", "limit", "total",
// "totalPages", "hasNext"}. The total is always counted exactly.
//
// A page or limit below 1 or not a whole number is 400; a limit above MaxSize
// is MaxSize, and the answer's limit tells. A page past the end is 200 and
// empty, with the true total.
type Screen struct {
	// Size is how many rows a page has without a limit. Defaults to 20.
	Size int
	// MaxSize is the largest limit. Defaults to 100, or to Size if that is more.
	MaxSize int
}

// Params implements [framework.Pagination].
func (s Screen) Params() []framework.Param {
	return []framework.Param{numbered(), limited(s.sizes())}
}

// Window implements [framework.Pagination].
func (s Screen) Window(v framework.Values) (framework.Window, error) {
	number, numberErr := atLeast(1, v, pageParam, 1)
	limit, limitErr := atLeast(1, v, limitParam, s.sizes().of)
	if err := together(numberErr, limitErr); err != nil {
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

func (s Screen) sizes() sizes { return settle(s.Size, s.MaxSize) }
