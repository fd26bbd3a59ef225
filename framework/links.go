package framework

import (
	"reflect"

	"github.com/swaggest/openapi-go/openapi31"
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
	for f := range shapeFields(e.out) {
		if jsonName(f) == e.resource.keyName() {
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

// links describe where the key in a success leads (OpenAPI 3.1, section 4.8.20).
func (w *specWriter) links(e *endpoint) map[string]openapi31.LinkOrReference {
	all := map[string]openapi31.LinkOrReference{}
	for _, to := range e.linked() {
		key := e.resource.keyName()
		link := openapi31.Link{Parameters: map[string]string{key: "$response.body#/" + key}}
		all[to.id()] = openapi31.LinkOrReference{Link: link.WithOperationID(to.id())}
	}
	return all
}
