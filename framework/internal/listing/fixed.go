package listing

import (
	"cmp"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/scan"
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
			return func(q *bun.SelectQuery) *bun.SelectQuery {
				q = narrow(c, q)
				if limits, err := scan.HasLimit(l.Resource.API.DB, q); err != nil || limits {
					return q.Err(cmp.Or(err, naming.Sentence("%s: %s: Narrow sets a limit or an offset; let it add conditions alone, and limit the list by Paginate", l.Resource.Path, place)))
				}
				return q
			}
		})
	}
	if declared.Ordering != nil {
		l.Endpoint.Ordering = ordering.Bind(l.Resource, *declared.Ordering, l.Resource.Declaration.Ranked != nil, func(_ string, err error) { fault(err) })
	}
}
