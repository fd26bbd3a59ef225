package bind

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bulk"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

const (
	usualBulk  = 1_000
	mostDelete = 100 // keys in a query string, whose length is limited
	mostEach   = 100 // items that are done one by one
)

// bindBulk makes the endpoint of a method for several rows. The mistakes of one whose items are done one by one are those of
// the other endpoint of the method.
func (b *binder) bindBulk(r *table.Resource, a declare.Action, fault func(error)) {
	d, e := r.Declaration.Bulk, b.newEndpoint(r, "bulk", a.Bulk, a.Method, a.Rules) // permissions see the verb
	e.Pattern, e.Out = actionPattern(r, a), input.NoneType
	e.Bulk = &table.Bulk{Name: a.Name, Each: a.Name == declare.EachName, Most: cmp.Or(d.Most, usualBulk)}
	e.ByWriters = e.IsWrite() && (a.Bulk != call.VerbCreate && r.HasWriters() || r.Writers.Above != nil)
	if e.Bulk.Each {
		fault = func(error) {}
		e.Bulk.Most = min(e.Bulk.Most, mostEach)
	}
	mistakes := bulk.Mistakes(r, a, b.written[r])
	for _, err := range mistakes {
		fault(err)
	}
	if len(mistakes) > 0 {
		return
	}
	made := &bulk.Bulk{Resource: r, Most: e.Bulk.Most}
	b.serveBulk(made, e, fault)
	b.shapeBulk(e, cmp.Or(made.Change, made.Create))
	made.Endpoint = verb.NewHandler(e)
	r.Endpoints = append(r.Endpoints, e)
}

// A serving answers the requests of an endpoint.
type serving = func(*call.Call, *table.Request) (*table.Response, error)

// serveBulk sets the function that answers the requests of an endpoint for several rows, and what it needs.
func (b *binder) serveBulk(made *bulk.Bulk, e *table.Endpoint, fault func(error)) {
	r, d := made.Resource, made.Resource.Declaration.Bulk
	serve := func(all, each serving) {
		if e.Serve = all; e.Bulk.Each {
			e.Serve = each
		}
	}
	switch e.Route.Name {
	case call.VerbCreate:
		made.Create = b.written[r][call.VerbCreate]
		serve(made.ServePost, made.EachPost)
	case call.VerbPatch:
		made.Change, made.Key = b.written[r][call.VerbPatch], bulk.KeyField(r, fault)
		e.Bulk.Key = made.Key
		serve(made.ServePatch, made.EachPatch)
	case call.VerbUpdate:
		made.Create, made.Change = b.written[r][call.VerbCreate], b.written[r][call.VerbUpdate]
		made.Key, made.Owned = bulk.NaturalKey(made, d.Upsert, fault)
		e.Bulk.Natural, e.Bulk.Owned = made.Key, made.Owned
		serve(verb.RetryTaken(made.ServePut), made.EachPut)
		if !e.Bulk.Each {
			e.Refuses = append(slices.Clip(e.Refuses), problem.CodeForbidden)
		}
	case call.VerbDelete:
		made.Most = min(made.Most, mostDelete)
		made.Key, made.Remove = bulk.KeyField(r, fault), verb.NewHandler(endpointOf(r, call.VerbDelete))
		e.Params = []query.Param{{Name: made.Key.Name, Type: r.Key.IndirectType, List: true, Required: true, Doc: fmt.Sprintf("The keys of the rows to delete, at most %d, separated by commas.", made.Most)}}
		e.Asks = true
		serve(made.ServeDelete, made.EachDelete)
	}
}

// endpointOf is the endpoint of a verb that the viewset has.
func endpointOf(r *table.Resource, verb string) *table.Endpoint {
	at := slices.IndexFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.Route.Name == verb && e.Bulk == nil })
	return r.Endpoints[at]
}

// shapeBulk sets the input and the answer of an endpoint for several rows. Its body is a list of inputs of a verb, and its
// answer a list of views, or of results.
func (b *binder) shapeBulk(e *table.Endpoint, w *verb.Writing) {
	if w != nil {
		e.Input = w.Endpoint.Input
		if !w.Silent() {
			e.Out = reflect.SliceOf(w.Verb.Out)
		}
		b.later(func() { e.Locks, e.Refuses = w.Endpoint.Locks, slices.Concat(e.Refuses, w.Endpoint.Refuses) })
	}
	if e.Bulk.Each {
		if e.Out != input.NoneType {
			e.Bulk.Row = w.Verb.Out
		}
		e.Out = reflect.TypeFor[[]table.Result]()
	}
	if e.Settle(); e.Out != input.NoneType {
		e.Status = http.StatusOK // 201 is about one row and its Location
	}
}
