package framework

import (
	"reflect"

	"trestle.example/framework/internal/naming"
)

// linked are the operations that take a key of what the endpoint makes: those on one
// object in every viewset of the model whose key the answer has.
func (e operation) linked() (all []operation) {
	if e.route.Name != verbCreate || !e.answersObject() {
		return nil
	}
	for _, r := range e.resource.api.resources {
		if r.model != e.resource.model || r.declaration.single || !hasMember(e.out, r.keyName()) {
			continue
		}
		for _, other := range r.endpoints {
			if other.onObject {
				all = append(all, newOperation(other))
			}
		}
	}
	return all
}

// answersObject reports whether the endpoint answers one object of its resource with
// its key. A function may answer something else, such as the whole cart for a new item:
// its type must be what another verb on one object answers, and no viewset of another
// model may serve it.
func (e operation) answersObject() bool {
	if e.out == nil || e.out.Kind() != reflect.Struct || e.kind != verbAccepts && !aloneShows(e.resource, e.out) {
		return false
	}
	return hasMember(e.out, e.resource.keyName())
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
func aloneShows(r *resource, out reflect.Type) bool {
	for _, other := range r.api.resources {
		if other.model != r.model && other.declaration.verbs.get(verbRetrieve).out == out {
			return false
		}
	}
	v := r.declaration.verbs
	return out == v.get(verbRetrieve).out || out == v.get(verbUpdate).out || out == v.get(verbPatch).out
}
