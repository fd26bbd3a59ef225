package page

import "trestle.example/framework"

// Bare answers one plain array, without an envelope and without parameters:
// for lists that are short by nature, such as the states of a country. Rows
// after Max are left out and nothing tells of them.
type Bare struct {
	// Max is how many rows there may be. Defaults to 1000.
	Max int
}

// Params implements [framework.Pagination].
func (Bare) Params() []framework.Param { return nil }

// Window implements [framework.Pagination].
func (b Bare) Window(framework.Values) (framework.Window, error) {
	limit := int64(1000)
	if b.Max > 0 {
		limit = int64(b.Max)
	}
	return framework.Window{Limit: limit, Counting: framework.NoCount()}, nil
}

// Envelope implements [framework.Pagination].
func (Bare) Envelope(framework.Page) (framework.Envelope, error) {
	return framework.Envelope{{Value: framework.Items{}}}, nil
}
