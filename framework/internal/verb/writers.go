package verb

import (
	"cmp"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// notYours returns the error of a request that changes a row. If the error is NotFound, because
// the scope or Writers leaves out the row, it looks for the row as a list shows it: if the caller
// has it there, the error is 403 not_yours, or 401 for an anonymous caller if Writers depends on
// the caller. Any other error, and a NotFound of a function that has received the row, is returned
// unchanged. Only a rejected request costs this statement.
func (e Handler) notYours(c *call.Call, r *table.Request, err error) error {
	if !e.OnObject || !r.Changes || r.Found || !fault.IsNotFound(err) {
		return err
	}
	keys := e.Resource.Keys(c)
	e.Resource.NarrowTo(e.Resource.Looking(c), &table.Request{Key: r.Key, Above: r.Above}, keys.QueryBuilder())
	switch visible, lookErr := e.Resource.Any(c, keys); {
	case lookErr != nil || !visible:
		return cmp.Or(lookErr, err)
	case c.Caller.Anonymous() && e.Resource.Writers.Kind != declare.ScopeWhere:
		return problem.Unauthenticated()
	}
	return problem.NotYours()
}
