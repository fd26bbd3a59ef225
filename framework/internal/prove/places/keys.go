package places

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/sample"
)

// A Place is one place of a request.
type Place struct {
	Name string
	With func(key string) exchange.Request // the request with another key in this place
}

// Keys lists the places of a request for a UUID that no tag says the viewset of.
func Keys(e *exchange.Endpoint, r exchange.Request) (all []Place) {
	if r.Method == http.MethodGet {
		return parametersIn(e, r)
	}
	var body any
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	if object, ok := body.(map[string]any); ok && e.BodyIn.Member != "" {
		body = object[e.BodyIn.Member]
	}
	for _, found := range keysIn(body, e.Input, "") {
		all = append(all, Place{found[0], func(key string) exchange.Request {
			changed := r
			changed.Body = []byte(sample.Mask(string(r.Body), found[1], key))
			return changed
		}})
	}
	return all
}

// keysIn lists the UUIDs of a body that no tag says the viewset of, each with its pointer before it.
func keysIn(value any, shape *input.Shape, at string) (all [][2]string) {
	switch value := value.(type) {
	case string:
		if uuid.Validate(value) == nil {
			return [][2]string{{at, value}}
		}
	case []any:
		for _, item := range value {
			all = append(all, keysIn(item, shape, at+"/0")...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if shape == nil || shape.ByName[name] == nil || shape.ByName[name].Ref+shape.ByName[name].To != "" {
				continue
			}
			all = append(all, keysIn(value[name], shape.ByName[name].Nested, at+"/"+name)...)
		}
	}
	return all
}

// parametersIn lists the parameters of a function that are UUIDs without the tag ref.
func parametersIn(e *exchange.Endpoint, r exchange.Request) (all []Place) {
	for _, param := range e.Spec.Params {
		if param.Field == nil || param.Field.Ref != "" || !HoldsKeys(param.Type) {
			continue
		}
		all = append(all, Place{"the parameter " + param.Name, func(key string) exchange.Request {
			query, _ := url.ParseQuery(r.Query) // the prover made it
			query.Set(param.Name, key)
			changed := r
			changed.Query = query.Encode()
			return changed
		}})
	}
	return all
}

// HoldsKeys reports whether a field is a UUID or a list of UUIDs.
func HoldsKeys(t reflect.Type) bool {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	return t == reflect.TypeFor[uuid.UUID]()
}
