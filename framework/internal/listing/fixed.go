package listing

import (
	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/query"
)

// Fix narrows the list of an action of Lists, and sets its orders. place names the action in
// mistakes.
func (l *List) Fix(declared declare.List, place string, fault func(error)) {
	for _, text := range declared.Where {
		condition, err := l.Resource.Relations.Base().ReadCondition(text)
		if err != nil {
			fault(naming.Sentence("Where(%q): %w", text, err))
			continue
		}
		l.Resource.Seeks(place, condition.Field.Related == nil, []query.Field{condition.Field})
		l.Fixed = append(l.Fixed, condition.Narrow)
	}
	for _, narrow := range declared.Narrow {
		if narrow == nil {
			fault(naming.Sentence("Narrow was given no function"))
			continue
		}
		l.Fixed = append(l.Fixed, func(c *call.Call) query.Narrow {
			return func(q *bun.SelectQuery) *bun.SelectQuery { return narrow(c, q) }
		})
	}
	if declared.Ordering != nil {
		l.Endpoint.Ordering = ordering.Bind(l.Resource, *declared.Ordering, l.Resource.Declaration.Ranked != nil, func(_ string, err error) { fault(err) })
	}
}
