package page

import "trestle.example/framework"

// Bare answers one plain array, without an envelope and without parameters. Use it for
// short lists, such as the states of a country. Rows after Max are left out, and the
// answer does not indicate that.
type Bare struct {
	// Max is the maximum number of rows. Defaults to 1000.
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
