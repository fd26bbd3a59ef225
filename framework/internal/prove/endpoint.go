package prove

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/openapi"
	"trestle.example/framework/internal/prove/report"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
)

// An endpoint is one endpoint of the API.
type endpoint struct {
	*table.Endpoint

	info  spec.RouteInfo
	spec  *spec.Endpoint
	tried *report.Tried
	body  map[string]any // the JSON Schema of its body, nil without one
	// endless: an answer was cut off, as that of a stream which goes on.
	endless bool
	// steady: an answer stayed the same for a second. timed: it did not.
	steady, timed bool
}

// access is the access of a person to an endpoint by the declarations.
func (e *endpoint) access(of *person) spec.Access { return e.tried.Cells[of.at].Access }

// makes reports whether the endpoint may make a row without being sent to one: a create, or the
// PUT of a single resource.
func (e *endpoint) makes() bool {
	return e.Resource.Table != nil && e.spec.Key == nil &&
		(e.info.Method == http.MethodPost || e.info.Method == http.MethodPut && e.Resource.Declaration.Single)
}

// declared reports whether an endpoint only does what the framework does for every viewset, and
// runs no function of the program, which may change rows that others see.
func (e *endpoint) declared() bool {
	return e.Kind == declare.VerbAccepts || e.Kind == declare.VerbShows || e.Kind == declare.VerbDeletes
}

// fills reports whether the framework itself writes the row of an endpoint, without a function of the program.
func (e *endpoint) fills() bool {
	verb := e.Resource.Declaration.Verbs.Get(e.Route.Name)
	return e.Kind == declare.VerbAccepts && verb.Fill == nil && verb.Then == nil
}

// links reports whether an action adds or removes a row that links the caller, or another row, to a row.
func (e *endpoint) links() bool {
	return slices.ContainsFunc(e.Resource.Declaration.Actions, func(a declare.Action) bool {
		return a.Name == e.Route.Name && (a.Toggle != nil || a.Links != "")
	})
}

// toggles reports whether an action adds or removes a row of the caller.
func (e *endpoint) toggles() bool {
	return slices.ContainsFunc(e.Resource.Declaration.Actions, func(a declare.Action) bool { return a.Name == e.Route.Name && a.Toggle != nil })
}

// acts reports whether the endpoint is an action that may change the state of a row, or that stores a
// file.
func (e *endpoint) acts() bool {
	return !declare.IsVerb(e.Route.Name) && e.info.Method != http.MethodGet && e.info.Method != http.MethodDelete
}

// mayChange reports whether a request may change the database: by its method, or because a function
// of the program answers it.
func (e *endpoint) mayChange(method string) bool {
	switch method {
	case http.MethodOptions:
		return false
	case http.MethodGet, http.MethodHead:
		return !e.declared() && !e.spec.Root
	}
	return true
}

// owning returns the viewset whose rows a reference at a pointer must be the caller's own: the scope of
// the endpoint goes through the reference. It is nil for any other.
func (e *endpoint) owning(pointer string) *table.Resource {
	if e == nil || e.Input == nil {
		return nil
	}
	scope, field := e.Resource.Scope, e.Input.ByName[strings.TrimPrefix(pointer, "/")]
	if scope.Kind != declare.ScopeVia || scope.Column == nil || field == nil || field.GoName != scope.Column.GoName {
		return nil
	}
	return scope.Via
}

// pathBelow is the path of an endpoint of no row below the rows with some keys.
func (e *endpoint) pathBelow(keys []string) string {
	path := e.info.Path
	for i, key := range e.spec.Above {
		path = strings.Replace(path, "{"+key.Name+"}", escape(keys[i]), 1)
	}
	return path
}

// bodyOf returns the JSON Schema of the body of an endpoint, nil without one.
func (p *Fixture) bodyOf(e *endpoint) (map[string]any, error) {
	described := openapi.Describe(p.document, e.info.Path, e.info.Method)
	text, err := wire.Encode(described.Member("body"))
	if err != nil || described.Member("body") == nil {
		return nil, err
	}
	var body map[string]any
	return body, json.Unmarshal(text, &body)
}
