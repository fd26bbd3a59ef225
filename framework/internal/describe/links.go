package describe

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// linked are the operations that take a key of what the endpoint makes: those on one
// object in every viewset of the model whose key the answer has.
func (e Operation) linked() (all []Operation) {
	if e.Route.Name != call.VerbCreate || !e.answersObject() {
		return nil
	}
	for _, r := range e.Resource.API.Resources {
		if r.Model != e.Resource.Model || r.Declaration.Single || !hasMember(e.Out, r.KeyName()) {
			continue
		}
		for _, other := range r.Endpoints {
			if other.OnObject {
				all = append(all, NewOperation(other))
			}
		}
	}
	return all
}

// answersObject reports whether the endpoint answers one object of its resource with
// its key. A function may answer something else, such as the whole cart for a new item:
// its type must be what another verb on one object answers, and no viewset of another
// model may serve it.
func (e Operation) answersObject() bool {
	if e.Out == nil || e.Out.Kind() != reflect.Struct || e.Kind != declare.VerbAccepts && !aloneShows(e.Resource, e.Out) {
		return false
	}
	return hasMember(e.Out, e.Resource.KeyName())
}

// hasMember reports whether the JSON of a struct has a member of a name.
func hasMember(out reflect.Type, name string) bool {
	for f := range naming.ShapeFields(out) {
		if naming.JSONName(f) == name {
			return true
		}
	}
	return false
}

// aloneShows reports whether a type is how the resource shows one object, and none of another
// model.
func aloneShows(r *table.Resource, out reflect.Type) bool {
	for _, other := range r.API.Resources {
		if other.Model != r.Model && other.Declaration.Verbs.Get(call.VerbRetrieve).Out == out {
			return false
		}
	}
	v := r.Declaration.Verbs
	return out == v.Get(call.VerbRetrieve).Out || out == v.Get(call.VerbUpdate).Out || out == v.Get(call.VerbPatch).Out
}
