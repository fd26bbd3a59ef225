package bulk

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
)

// ServePost answers a POST: it creates a row for each item.
func (b *Bulk) ServePost(c *call.Call, r *table.Request) (*table.Response, error) {
	items, err := b.decode(c, r, b.Create, b.Create.ReadOnly, noKeys)
	return b.Endpoint.Write(c, r, err, false, func(c *call.Call) (*table.Response, error) {
		if err := b.enter(c, r); err != nil {
			return nil, err
		}
		faults, err := wrong(c, items)
		if err = firstOf(err, verb.Rejection(faults)); err != nil {
			return nil, err
		}
		if err := b.insert(c, items); err != nil {
			return nil, err
		}
		if err := b.within(c, items); err != nil {
			return nil, err
		}
		return b.answer(c, b.Create, items)
	})
}

// noKeys is for items that name no row.
func noKeys([]*item) []problem.Fault { return nil }
