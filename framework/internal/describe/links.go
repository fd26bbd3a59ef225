package describe

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// linked lists the operations that take the key of the object that the endpoint creates: in every
// viewset of the same model whose key the answer contains, the operations on one object, and the
// lists and creates below it. It is nil if the endpoint creates no row, or if
// [Operation.answersObject] is false.
func (e Operation) linked() (all []spec.Link) {
	if e.Route.Name != call.VerbCreate && e.Creates == nil || !e.answersObject() {
		return nil
	}
	made := e.madeIn()
	for _, r := range made.API.Resources {
		if r.Above != nil && r != made { // the request has no key of its parent
			continue
		}
		if r.Model != made.Model || r.Declaration.Single || e.keyMember(r) == "" {
			continue
		}
		for _, other := range r.Endpoints {
			if other.OnObject {
				all = append(all, e.linkTo(other, r, append(keyNames(r), r.KeyName())))
			}
		}
		all = append(all, e.linkedBelow(r)...)
	}
	return all
}

// linkedBelow lists the operations below an object of a resource that take no key of their own.
func (e Operation) linkedBelow(r *table.Resource) (all []spec.Link) {
	for _, below := range r.API.Resources {
		if below.Above == nil || below.Above.Parent != r {
			continue
		}
		for _, other := range below.Endpoints {
			if !other.OnObject {
				all = append(all, e.linkTo(other, r, keyNames(below)))
			}
		}
	}
	return all
}

// linkTo links to an operation whose path parameters have these names. The last one is the key of
// the new object, which is one of r. The request has the keys of the others. Its own key, of an action that
// creates a row below the row of the path, has another name there.
func (e Operation) linkTo(other *table.Endpoint, r *table.Resource, names []string) spec.Link {
	last := len(names) - 1
	link := spec.Link{ID: NewOperation(other).ID(), Key: names[last], Member: e.keyMember(r), Above: map[string]string{}}
	for i, name := range keyNames(r) {
		link.Above[names[i]] = name
	}
	if n := len(link.Above); n > 0 && e.Creates != nil && e.Creates.Below {
		link.Above[names[n-1]] = e.Resource.KeyName()
	}
	return link
}

// answersObject reports whether the endpoint answers with one object that contains the key, of
// the resource of [Operation.madeIn]. A function may answer with something else, such as the whole cart for a new
// item. Therefore [aloneShows] must be true for the output type of a function.
func (e Operation) answersObject() bool {
	if e.Out == nil || e.Out.Kind() != reflect.Struct || e.Kind != declare.VerbAccepts && !aloneShows(e.madeIn(), e.Out) {
		return false
	}
	return e.keyMember(e.madeIn()) != ""
}

// madeIn returns the viewset of the row that the endpoint creates.
func (e Operation) madeIn() *table.Resource {
	if e.Creates != nil {
		return e.Creates.Resource
	}
	return e.Resource
}

// keyMember returns the member of the answer, which is a struct, that has the key of a row of a
// resource: the Lookup, or else the primary key under the name that the answer gives it. It returns
// "" without one.
func (e Operation) keyMember(r *table.Resource) string {
	for f := range e.Resource.API.Config.Case.Fields(e.Out) {
		switch name := naming.JSONName(f); {
		case r.Declaration.Lookup != "" && name == r.Declaration.Lookup:
			return name
		case r.Declaration.Lookup == "" && f.Name == r.Table.PKs[0].GoName && f.Tag.Get("from") == "":
			return name
		}
	}
	return ""
}

// aloneShows reports whether Retrieve, Update or Patch of the resource answers with the type,
// and Retrieve of no viewset of another model does.
func aloneShows(r *table.Resource, out reflect.Type) bool {
	for _, other := range r.API.Resources {
		if other.Model != r.Model && other.Declaration.Verbs.Get(call.VerbRetrieve).Out == out {
			return false
		}
	}
	v := r.Declaration.Verbs
	return out == v.Get(call.VerbRetrieve).Out || out == v.Get(call.VerbUpdate).Out || out == v.Get(call.VerbPatch).Out
}
