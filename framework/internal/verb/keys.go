package verb

import (
	"net/http"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/body"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/ignored"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/once"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// idempotencyKey returns the Idempotency-Key of a request, empty without one. If the endpoint
// honours no keys, it ignores the header, or rejects it if the resource is strict. The error is
// 400 for an anonymous caller, several headers, or an invalid key.
func (e Handler) idempotencyKey(c *call.Call, r *http.Request) (string, error) {
	sent := r.Header.Values(problem.IdempotencyHeader)
	switch {
	case len(sent) == 0:
		return "", nil
	case !e.Idempotent && e.Resource.Ignores(c, ignored.Header(problem.IdempotencyHeader)):
		return "", nil
	case !e.Idempotent:
		return "", once.InvalidKey("is not honoured here; this request could not be repeated safely")
	case c.Caller.Anonymous():
		return "", once.InvalidKey("is for callers who are known, and this request has no credentials; sign in, or leave the header out")
	case len(sent) > 1:
		return "", once.InvalidKey("is there %d times; send one key", len(sent))
	}
	return once.ReadKey(sent[0])
}

// onceKey returns the key under which the answer of a request is stored. It reads the whole
// body for the fingerprint, so a large body waits for its turn, as [body.Parse]
// describes.
func (e Handler) onceKey(c *call.Call, r *table.Request) (*once.IdempotencyKey, error) {
	key := &once.IdempotencyKey{
		Caller: c.Caller.IDText(), Route: e.Route.Method + " " + e.Resource.API.Config.Prefix + e.Pattern,
		Key: r.IdempotencyKey, Most: e.Resource.API.Config.IdempotencyKeys, Hidden: func(c *call.Call) (bool, error) { return e.hides(c, r) },
	}
	if e.Record != nil {
		key.Record = func(c *call.Call, resp *table.Response) error { return e.Record(c, r, resp) }
	}
	return key, body.Parse(e.Resource.API, c, r.Body, func() { key.Fingerprint = once.Fingerprint(r) })
}

// Once returns a function without an input that runs at most once for all requests with one
// Idempotency-Key. A request without a key runs it as it is.
func (e Handler) Once(serve func(*call.Call, *table.Request) (*table.Response, error)) func(*call.Call, *table.Request) (*table.Response, error) {
	return func(c *call.Call, r *table.Request) (*table.Response, error) {
		if r.IdempotencyKey == "" {
			return serve(c, r)
		}
		key, err := e.onceKey(c, r)
		if err != nil {
			return nil, err
		}
		return key.Once(c, func(c *call.Call) (*table.Response, error) { return serve(c, r) })
	}
}

// hides reports whether the row of the path exists and is out of the caller's scope, whatever
// Writers: the earlier request with this Idempotency-Key may have made the row one that the caller
// may no longer change. A parent that the caller does not see hides the row too. It returns false for a
// path without a key, and for a row that does not exist: the earlier request may have deleted it.
func (e Handler) hides(c *call.Call, r *table.Request) (bool, error) {
	switch err := nested.Find(c, e.Resource, r.Above); {
	case fault.IsNotFound(err):
		return true, nil
	case err != nil || r.Key == nil:
		return false, err
	}
	visible, err := e.Resource.Any(c, e.Resource.Object(c, &table.Request{Key: r.Key, Above: r.Above, ByReaders: r.ByReaders}).ColumnExpr("1"))
	if err != nil || visible {
		return false, err
	}
	unscoped := e.Resource.Keys(c).Where("?TableAlias.? = ?", bun.Ident(e.Resource.Key.Name), sqldb.Param(r.Key))
	return e.Resource.Any(c, unscoped)
}
