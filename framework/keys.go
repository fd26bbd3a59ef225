package framework

import (
	"github.com/uptrace/bun"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// checkKeyless ignores or rejects the key of a request to an endpoint that honours none.
func (e handler) checkKeyless(c *Call, r *request) error {
	if e.idempotent || len(r.http.Header.Values(problem.IdempotencyHeader)) == 0 ||
		e.resource.ignores(c, ignoredHeader(problem.IdempotencyHeader)) {
		return nil
	}
	return invalidKey("is not honoured here; this request could not be repeated safely")
}

// idempotencyKey is the key that a request carries; nil without one.
func (e handler) idempotencyKey(c *Call, r *request) (*idempotencyKey, error) {
	sent := r.http.Header.Values(problem.IdempotencyHeader)
	switch {
	case !e.idempotent || len(sent) == 0:
		return nil, nil
	case c.Caller.Anonymous():
		return nil, invalidKey("is for callers who are known, and this request has no credentials; sign in, or leave the header out")
	case len(sent) > 1:
		return nil, invalidKey("is there %d times; send one key", len(sent))
	}
	key, err := readKey(sent[0])
	if err != nil {
		return nil, err
	}
	return &idempotencyKey{
		caller: c.Caller.ID, route: e.route.Method + " " + e.resource.api.config.Prefix + e.pattern,
		key: key, most: e.resource.api.config.IdempotencyKeys, hidden: func(c *Call) (bool, error) { return e.hides(c, r) },
	}, nil
}

// hides reports whether the row that a request names is there, but not the
// caller's. One that is gone may have been removed by the request itself.
func (e handler) hides(c *Call, r *request) (bool, error) {
	if r.key == nil {
		return false, nil
	}
	mine, err := e.resource.any(c, e.resource.object(c, r).ColumnExpr("1"))
	if err != nil || mine {
		return false, err
	}
	anybodys := e.resource.keys(c).Where("?TableAlias.? = ?", bun.Ident(e.resource.key.Name), sqldb.Param(r.key))
	return e.resource.any(c, anybodys)
}
