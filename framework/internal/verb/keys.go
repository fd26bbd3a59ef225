package verb

import (
	"github.com/uptrace/bun"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/once"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// checkKeyless ignores or rejects the key of a request to an endpoint that honours none.
func (e Handler) checkKeyless(c *call.Call, r *table.Request) error {
	if e.Idempotent || len(r.HTTP.Header.Values(problem.IdempotencyHeader)) == 0 ||
		e.Resource.Ignores(c, table.IgnoredHeader(problem.IdempotencyHeader)) {
		return nil
	}
	return once.InvalidKey("is not honoured here; this request could not be repeated safely")
}

// idempotencyKey is the key that a request carries; nil without one.
func (e Handler) idempotencyKey(c *call.Call, r *table.Request) (*once.IdempotencyKey, error) {
	sent := r.HTTP.Header.Values(problem.IdempotencyHeader)
	switch {
	case !e.Idempotent || len(sent) == 0:
		return nil, nil
	case c.Caller.Anonymous():
		return nil, once.InvalidKey("is for callers who are known, and this request has no credentials; sign in, or leave the header out")
	case len(sent) > 1:
		return nil, once.InvalidKey("is there %d times; send one key", len(sent))
	}
	key, err := once.ReadKey(sent[0])
	if err != nil {
		return nil, err
	}
	return &once.IdempotencyKey{
		Caller: c.Caller.ID, Route: e.Route.Method + " " + e.Resource.API.Config.Prefix + e.Pattern,
		Key: key, Most: e.Resource.API.Config.IdempotencyKeys, Hidden: func(c *call.Call) (bool, error) { return e.hides(c, r) },
	}, nil
}

// hides reports whether the row that a request names is there, but not the
// caller's. One that is gone may have been removed by the request itself.
func (e Handler) hides(c *call.Call, r *table.Request) (bool, error) {
	if r.Key == nil {
		return false, nil
	}
	mine, err := e.Resource.Any(c, e.Resource.Object(c, r).ColumnExpr("1"))
	if err != nil || mine {
		return false, err
	}
	anybodys := e.Resource.Keys(c).Where("?TableAlias.? = ?", bun.Ident(e.Resource.Key.Name), sqldb.Param(r.Key))
	return e.Resource.Any(c, anybodys)
}
