package bulk

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// ServePost answers a POST: it creates a row for each item.
func (b *Bulk) ServePost(c *call.Call, r *table.Request) (*table.Response, error) {
	read := b.reader(c, r, b.Create, b.Create.ReadOnly, noKeys)
	return b.write(c, r, read, func(c *call.Call, items []*item, faults []problem.Fault) (*table.Response, error) {
		if err := reject(c, items, faults); err != nil {
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
