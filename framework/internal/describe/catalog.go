package describe

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// DocsPath is where the page is that shows the reference, below the prefix.
const DocsPath = "/docs"

// The paths of the reference itself.
const (
	JSONPath = "/openapi.json"
	YamlPath = "/openapi.yaml"
)

// A Catalog describes a checked API: its operations, and what each is to a caller.
type Catalog struct{ *table.Registry }

// NewCatalog describes the API of a registry.
func NewCatalog(a *table.Registry) Catalog { return Catalog{a} }

// An Operation is an endpoint as it is described to clients.
type Operation struct{ *table.Endpoint }

// NewOperation describes an endpoint.
func NewOperation(e *table.Endpoint) Operation { return Operation{e} }

// Catalog is that of the API which has the operation.
func (e Operation) Catalog() Catalog { return NewCatalog(e.Resource.API) }

// Operations are the API root and the endpoints of every resource.
func (a Catalog) Operations() []Operation {
	endpoints := a.Endpoints()
	all := make([]Operation, len(endpoints))
	for i, e := range endpoints {
		all[i] = NewOperation(e)
	}
	return all
}

// Routes lists every endpoint, in order of registration.
func (a Catalog) Routes() []spec.RouteInfo {
	endpoints := a.Endpoints()
	all := make([]spec.RouteInfo, len(endpoints))
	for i, e := range endpoints {
		all[i] = a.info(e)
	}
	return all
}

func (a Catalog) info(e *table.Endpoint) spec.RouteInfo {
	return spec.RouteInfo{
		Method: e.Route.Method, Path: a.PathOf(e), ViewSet: e.Route.ViewSet, Name: e.Route.Name,
		Permission: e.Permission.String(), Scope: e.Resource.Scope.String(), Doc: e.Doc,
	}
}

// Access lists every endpoint with what it is to each of the callers.
func (a Catalog) Access(callers []*call.Caller) []spec.RouteAccess {
	var all []spec.RouteAccess
	for _, e := range a.Endpoints() {
		row := spec.RouteAccess{RouteInfo: a.info(e), Access: make([]spec.Access, len(callers))}
		for i, caller := range callers {
			row.Access[i] = a.accessOf(e, row.Path, caller)
		}
		all = append(all, row)
	}
	return all
}

// Permissions lists the names of permissions that endpoints, scopes and guards ask for,
// sorted and each once.
func (a Catalog) Permissions() []string {
	asking := []call.Permission{}
	for _, e := range a.Endpoints() {
		asking = append(asking, e.Permission, e.Resource.Scope.Unless)
	}
	for _, g := range a.Config.Guards {
		asking = append(asking, g.Permission)
	}
	var names []string
	for _, p := range asking {
		names = append(names, access.HeldNames(p)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// PathOf is the path of an endpoint, with the name of its key: "/api/patients/{id}/".
func (a Catalog) PathOf(e *table.Endpoint) string {
	return a.Config.Prefix + strings.ReplaceAll(e.Pattern, ":id", "{"+e.Resource.KeyName()+"}")
}

// accessOf is what an endpoint is to a caller. A permission that panics lets
// nobody in.
func (a Catalog) accessOf(e *table.Endpoint, path string, caller *call.Caller) (access spec.Access) {
	defer func() {
		if recover() != nil {
			access = spec.AccessRefused
		}
	}()
	if !a.passesGuards(e, path, caller) {
		return spec.AccessRefused
	}
	c := a.imagined(e.Route, e.Authentication, caller)
	switch {
	case !e.Permission.Permit(c):
		return spec.AccessRefused
	case e.HandsRows() && !e.Resource.Scope.Lifted(c):
		return spec.AccessScoped
	}
	return spec.AccessAllowed
}

// passesGuards asks the guards as the server's gate does: with the schemes of
// the API, whatever the endpoint's own are.
func (a Catalog) passesGuards(e *table.Endpoint, path string, caller *call.Caller) bool {
	r := &http.Request{Method: e.Route.Method, URL: &url.URL{Path: path}}
	for _, g := range a.Config.Guards {
		if !a.Origin.Guards(g.Under, r) {
			continue
		}
		route := call.Route{ViewSet: g.Under, Name: "guard", Method: r.Method}
		if !g.Permission.Permit(a.imagined(route, a.Config.Authentication, caller)) {
			return false
		}
	}
	return true
}

// imagined is a call that nobody sent, by a caller as the schemes would know
// them.
func (a Catalog) imagined(route call.Route, schemes []call.Authenticator, caller *call.Caller) *call.Call {
	o := table.CallOptions{Route: route, Request: &http.Request{Method: route.Method, URL: &url.URL{}, Header: http.Header{}}}
	if len(schemes) > 0 {
		o.Caller = caller
	}
	return a.NewCall(context.Background(), o)
}
