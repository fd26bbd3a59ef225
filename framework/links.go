package framework

import (
	"reflect"

	"trestle.example/framework/internal/naming"
)

// linked are the operations of a resource that take the key of what the endpoint
// makes: those on one object, if the endpoint answers the object with its key.
func (e *endpoint) linked() (all []*endpoint) {
	if e.route.Name != verbCreate || !e.answersObject() {
		return nil
	}
	for _, other := range e.resource.endpoints {
		if other.onObject && !e.resource.declaration.single {
			all = append(all, other)
		}
	}
	return all
}

// answersObject reports whether the endpoint answers one object of its resource with
// its key. A function may answer something else, such as the whole cart for a new item:
// its type must be what another verb on one object answers, and no viewset of another
// model may serve it.
func (e *endpoint) answersObject() bool {
	if e.out == nil || e.out.Kind() != reflect.Struct || e.kind != verbAccepts && !e.resource.aloneShows(e.out) {
		return false
	}
	for f := range naming.ShapeFields(e.out) {
		if naming.JSONName(f) == e.resource.keyName() {
			return true
		}
	}
	return false
}

// aloneShows reports whether a type is how the resource shows one object, and none of another
// model.
func (r *resource) aloneShows(out reflect.Type) bool {
	for _, other := range r.api.resources {
		if other.model != r.model && other.declaration.verbs.Retrieve.out == out {
			return false
		}
	}
	v := r.declaration.verbs
	return out == v.Retrieve.out || out == v.Update.out || out == v.Patch.out
}
