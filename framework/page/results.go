package page

import (
	"net/url"

	"trestle.example/framework"
)

// results is the envelope of [Number] and [Offset].
func results(p framework.Page, counting framework.Counting, next, previous *string) framework.Envelope {
	e := framework.Envelope{{Name: "count", Value: count(p, counting), Doc: "How many rows match in all."}}
	if counting != framework.ExactCount() && counting != framework.NoCount() {
		e = append(e, framework.Member{Name: "count_is", Value: countIs(p.Total), Doc: "What count is: exact, at_least or estimate."})
	}
	return append(e,
		framework.Member{Name: "next", Value: next, Doc: "URL of the next page; null on the last."},
		framework.Member{Name: "previous", Value: previous, Doc: "URL of the page before; null on the first."},
		framework.Member{Name: "results", Value: framework.Items{}, Doc: "The rows of this page."},
	)
}

// count returns the total as a number, so that the OpenAPI document states that it is never
// null. If the total is unknown, it returns a nil *int64. With NoCount it always returns
// nil, even if the total of a short list is known: clients must not rely on that total. A
// total that is not exact is never less than the number of rows up to the end of this page,
// plus 1 if a page follows.
func count(p framework.Page, counting framework.Counting) any {
	if !p.Total.Known || counting == framework.NoCount() {
		return (*int64)(nil)
	}
	n := p.Total.Count
	if p.Total.AtLeast || p.Total.Rough {
		seen := int64(p.Rows)
		if seen > 0 {
			seen += p.Offset
		}
		if p.More {
			seen++
		}
		n = max(n, seen)
	}
	return n
}

func countIs(t framework.Total) string {
	switch {
	case t.AtLeast:
		return "at_least"
	case t.Rough:
		return "estimate"
	}
	return "exact"
}

func link(p framework.Page, replace url.Values) *string {
	address := p.Link(replace)
	return &address
}
