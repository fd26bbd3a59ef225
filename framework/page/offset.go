package page

import (
	"net/url"
	"reflect"
	"strconv"

	"trestle.example/framework"
)

// Offset lets the client choose how many rows to return and how many to skip, by the
// parameters limit and offset. The answer has the envelope of [Number]: {"count", "next",
// "previous", "results"}. A link to the start has no offset.
//
// A limit below 1, an offset below 0, and a value that is not a whole number or exceeds 64
// bits are answered 400. Any other limit above MaxSize counts as MaxSize. If the offset is
// past the end, the answer is 200 with no rows.
type Offset struct {
	// Size is how many rows a page has without a limit. Defaults to 20.
	Size int
	// MaxSize is the maximum limit. Defaults to 100. A value below Size counts as Size.
	MaxSize int
	// Count states how rows are counted, as in [Number]. Defaults to
	// framework.ExactCount.
	Count framework.Counting
}

const (
	limitParam  = "limit"
	offsetParam = "offset"
)

// Params implements [framework.Pagination].
func (o Offset) Params() []framework.Param {
	return []framework.Param{
		pageSizeParam(o.sizes()),
		{Name: offsetParam, Type: reflect.TypeFor[int64](), Doc: "How many rows to skip.", Minimum: 0, Default: 0},
	}
}

// Window implements [framework.Pagination].
func (o Offset) Window(v framework.Values) (framework.Window, error) {
	limit, limitErr := atLeast(1, v, limitParam, o.sizes().of)
	offset, offsetErr := atLeast(0, v, offsetParam, 0)
	if err := joinInvalid(limitErr, offsetErr); err != nil {
		return framework.Window{}, err
	}
	return framework.Window{Limit: min(limit, o.sizes().most), Offset: min(offset, farthest), Counting: o.Count}, nil
}

// Envelope implements [framework.Pagination].
func (o Offset) Envelope(p framework.Page) (framework.Envelope, error) {
	var next, previous *string
	if p.More {
		next = o.link(p, p.Offset+p.Limit)
	}
	if p.Offset > 0 {
		previous = o.link(p, max(p.Offset-p.Limit, 0))
	}
	return results(p, o.Count, next, previous), nil
}

func (o Offset) link(p framework.Page, offset int64) *string {
	replace := url.Values{limitParam: {strconv.FormatInt(p.Limit, 10)}, offsetParam: nil}
	if offset > 0 {
		replace.Set(offsetParam, strconv.FormatInt(offset, 10))
	}
	return link(p, replace)
}

func (o Offset) sizes() sizes { return newSizes(o.Size, o.MaxSize) }
