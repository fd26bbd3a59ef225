package bulk

import (
	"errors"
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// EachPost answers a POST whose items create rows one by one.
func (b *Bulk) EachPost(c *call.Call, r *table.Request) (*table.Response, error) {
	return b.each(c, r, b.reader(c, r, b.Create, b.Create.ReadOnly, noKeys), func(c *call.Call, one *item) (*table.Response, error) {
		return alone(c, r, one, nil)
	})
}

// EachPatch answers a PATCH whose items change the rows that have their keys, one by one.
func (b *Bulk) EachPatch(c *call.Call, r *table.Request) (*table.Response, error) {
	keyFaults := map[*item][]problem.Fault{}
	read := b.reader(c, r, b.Change, b.withKey(), apart(keyFaults, b.readKeys))
	return b.each(c, r, read, func(c *call.Call, one *item) (*table.Response, error) {
		if one.key == nil {
			return nil, reject(c, []*item{one}, append(keyFaults[one], one.Faults(c, one.in)...))
		}
		return alone(c, r, one, one.key)
	})
}

// EachPut answers a PUT whose items replace the rows that have their natural keys, or create them, one by one. If another
// request has inserted a row meanwhile, the item replaces it.
func (b *Bulk) EachPut(c *call.Call, r *table.Request) (*table.Response, error) {
	read := b.reader(c, r, b.Change, b.Change.ReadOnly, apart(map[*item][]problem.Fault{}, b.readNatural))
	return b.each(c, r, read, func(c *call.Call, one *item) (*table.Response, error) {
		put := func(c *call.Call, r *table.Request) (*table.Response, error) {
			return b.putAlone(c, r, one.at, one.sent)
		}
		return verb.RetryTaken(put)(c, r)
	})
}

// putAlone replaces the row with the natural key of an item, or creates it. It decodes the item, because functions of the
// program may have changed it in an earlier run.
func (b *Bulk) putAlone(c *call.Call, r *table.Request, at int, sent []byte) (*table.Response, error) {
	one, err := newItem(b.Change, at, sent, b.Change.ReadOnly)
	if err != nil {
		return nil, err
	}
	items := []*item{one}
	if b.readNatural(items); one.key == nil {
		return nil, reject(c, items, one.Faults(c, one.in))
	}
	known, fresh, _, err := b.match(c, r, items)
	switch {
	case err != nil:
		return nil, err
	case len(fresh) > 0:
		if err := b.Create.Endpoint.Permit(c); err != nil {
			return nil, err
		}
		return alone(b.adding(c), r, one, nil)
	}
	if faults := b.otherKeys(known); len(faults) > 0 {
		return nil, reject(c, items, append(faults, one.Faults(c, one.in)...))
	}
	key := one.key // as it was sent: the input may have it too
	if b.Key.Column != b.Resource.Key {
		key = keyIn(b.Resource.Key, one.row)
	}
	return alone(c, r, one, key)
}

// EachDelete answers a DELETE that deletes the rows with the keys in the query string one by one.
func (b *Bulk) EachDelete(c *call.Call, r *table.Request) (*table.Response, error) {
	keys, err := b.keysIn(c, r, false)
	return b.Endpoint.Write(c, r, err, false, func(c *call.Call) (*table.Response, error) {
		if err := b.enter(c, r, keys); err != nil {
			return nil, err
		}
		return b.results(c, len(keys), func(i int) (*table.Response, error) {
			return b.Remove.Part(c, partOf(r, b.Remove, keys[i]), b.Remove.Serve)
		})
	})
}

// apart returns a function that reads the keys of items, each as if it were the only one, and notes their faults.
func apart(noted map[*item][]problem.Fault, keys func([]*item) []problem.Fault) func([]*item) []problem.Fault {
	return func(items []*item) []problem.Fault {
		for _, one := range items {
			noted[one] = keys([]*item{one})
		}
		return nil
	}
}

// each answers a request by a function that does one item. All items share one transaction. If it runs a second time, the
// items are decoded again.
func (b *Bulk) each(c *call.Call, r *table.Request, read reader, do func(*call.Call, *item) (*table.Response, error)) (*table.Response, error) {
	items, _, err := read()
	ran := false
	return b.Endpoint.Write(c, r, err, false, func(c *call.Call) (*table.Response, error) {
		if ran {
			var err error
			if items, _, err = read(); err != nil {
				return nil, err
			}
		}
		ran = true
		if err := b.enter(c, r, keysOf(items)); err != nil {
			return nil, err
		}
		return b.results(c, len(items), func(i int) (*table.Response, error) { return do(c, items[i]) })
	})
}

// enter finds the parent of a nested viewset, and locks the rows with some keys, and the natural keys of rows that do not exist, in
// one order, so that requests for the same rows do not wait for each other.
func (b *Bulk) enter(c *call.Call, r *table.Request, keys []any) error {
	if err := nested.Enter(c, b.Resource, r); err != nil {
		return err
	}
	if b.Create != nil && b.Change != nil {
		if err := b.reserve(c, r, keys); err != nil {
			return err
		}
	}
	_, err := b.locked(c, r, keys)
	return err
}

// alone answers the request for the row of one item, nil for a new row.
func alone(c *call.Call, r *table.Request, one *item, key any) (*table.Response, error) {
	part := partOf(r, one.Endpoint, key)
	part.Body = one.sent
	return one.Endpoint.Part(c, part, one.ServeDecoded(one.in))
}

// partOf is a request to the endpoint of a verb, within a request for several rows.
func partOf(r *table.Request, e verb.Handler, key any) *table.Request {
	return &table.Request{HTTP: r.HTTP, Above: r.Above, Key: key, Changes: e.ByWriters}
}

// results does a number of items, and makes the answer with their results. An error that is not one for the client, or after
// which the database requires a retry, ends it.
func (b *Bulk) results(c *call.Call, items int, do func(i int) (*table.Response, error)) (*table.Response, error) {
	catalog := describe.NewCatalog(b.Resource.API)
	catalog.Vary(c.Header())
	all := make([]table.Result, items)
	for i := range all {
		resp, err := do(i)
		refusal, ok := errors.AsType[*problem.Error](err)
		switch {
		case err == nil:
			all[i] = table.Result{Status: resp.Status, Row: resp.Body}
			continue
		case !ok || refusal.Status >= http.StatusInternalServerError || mustRetry(err):
			return nil, err
		}
		refusal = catalog.Restated(refusal)
		_, body := catalog.Shape(c, refusal)
		all[i] = table.Result{Status: refusal.Status, Problem: body}
	}
	return &table.Response{Status: b.Endpoint.Status, Value: all}, nil
}

// mustRetry reports whether the database requires that the transaction is run again.
func mustRetry(err error) bool {
	fault, ok := sqldb.Classify(err)
	return ok && fault.Kind == sqldb.Retry
}
