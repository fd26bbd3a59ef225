package framework

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// docsPath is where the page is that shows the reference, below the prefix.
const docsPath = "/docs"

// The paths of the reference itself.
const (
	jsonPath = "/openapi.json"
	yamlPath = "/openapi.yaml"
)

// A catalog describes a checked API: its operations, and what each is to a caller.
type catalog struct{ *registry }

// newCatalog describes the API of a registry.
func newCatalog(a *registry) catalog { return catalog{a} }

// An operation is an endpoint as it is described to clients.
type operation struct{ *endpoint }

// newOperation describes an endpoint.
func newOperation(e *endpoint) operation { return operation{e} }

// catalog is that of the API which has the operation.
func (e operation) catalog() catalog { return newCatalog(e.resource.api) }

// operations are the API root and the endpoints of every resource.
func (a catalog) operations() []operation {
	endpoints := a.endpoints()
	all := make([]operation, len(endpoints))
	for i, e := range endpoints {
		all[i] = newOperation(e)
	}
	return all
}

// routes lists every endpoint, in order of registration.
func (a catalog) routes() []RouteInfo {
	endpoints := a.endpoints()
	all := make([]RouteInfo, len(endpoints))
	for i, e := range endpoints {
		all[i] = a.info(e)
	}
	return all
}

func (a catalog) info(e *endpoint) RouteInfo {
	return RouteInfo{
		Method: e.route.Method, Path: a.pathOf(e), ViewSet: e.route.ViewSet, Name: e.route.Name,
		Permission: e.permission.String(), Scope: e.resource.scope.String(), Doc: e.doc,
	}
}

// access lists every endpoint with what it is to each of the callers.
func (a catalog) access(callers []*Caller) []RouteAccess {
	var all []RouteAccess
	for _, e := range a.endpoints() {
		row := RouteAccess{RouteInfo: a.info(e), Access: make([]Access, len(callers))}
		for i, caller := range callers {
			row.Access[i] = a.accessOf(e, row.Path, caller)
		}
		all = append(all, row)
	}
	return all
}

// permissions lists the names of permissions that endpoints, scopes and guards ask for,
// sorted and each once.
func (a catalog) permissions() []string {
	asking := []Permission{}
	for _, e := range a.endpoints() {
		asking = append(asking, e.permission, e.resource.scope.unless)
	}
	for _, g := range a.config.Guards {
		asking = append(asking, g.Permission)
	}
	var names []string
	for _, p := range asking {
		names = append(names, heldNames(p)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// pathOf is the path of an endpoint, with the name of its key: "/api/patients/{id}/".
func (a catalog) pathOf(e *endpoint) string {
	return a.config.Prefix + strings.ReplaceAll(e.pattern, ":id", "{"+e.resource.keyName()+"}")
}

// accessOf is what an endpoint is to a caller. A permission that panics lets
// nobody in.
func (a catalog) accessOf(e *endpoint, path string, caller *Caller) (access Access) {
	defer func() {
		if recover() != nil {
			access = AccessRefused
		}
	}()
	if !a.passesGuards(e, path, caller) {
		return AccessRefused
	}
	c := a.imagined(e.route, e.authentication, caller)
	switch {
	case !e.permission.Permit(c):
		return AccessRefused
	case e.handsRows() && !e.resource.scope.lifted(c):
		return AccessScoped
	}
	return AccessAllowed
}

// passesGuards asks the guards as the server's gate does: with the schemes of
// the API, whatever the endpoint's own are.
func (a catalog) passesGuards(e *endpoint, path string, caller *Caller) bool {
	r := &http.Request{Method: e.route.Method, URL: &url.URL{Path: path}}
	for _, g := range a.config.Guards {
		if !a.origin.guards(g.Under, r) {
			continue
		}
		route := Route{ViewSet: g.Under, Name: "guard", Method: r.Method}
		if !g.Permission.Permit(a.imagined(route, a.config.Authentication, caller)) {
			return false
		}
	}
	return true
}

// imagined is a call that nobody sent, by a caller as the schemes would know
// them.
func (a catalog) imagined(route Route, schemes []Authenticator, caller *Caller) *Call {
	o := callOptions{Route: route, Request: &http.Request{Method: route.Method, URL: &url.URL{}, Header: http.Header{}}}
	if len(schemes) > 0 {
		o.Caller = caller
	}
	return a.newCall(context.Background(), o)
}
