package describe

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// DocsPath is the path of the documentation page, below the prefix.
const DocsPath = "/docs"

// The paths of the OpenAPI document, below the prefix.
const (
	JSONPath = "/openapi.json"
	YamlPath = "/openapi.yaml"
)

// A Catalog describes a checked API: its operations, and which callers may use each.
type Catalog struct{ *table.Registry }

// NewCatalog makes the catalog of the API of a registry.
func NewCatalog(a *table.Registry) Catalog { return Catalog{a} }

// An Operation is an endpoint as the OpenAPI document describes it to clients.
type Operation struct{ *table.Endpoint }

// NewOperation makes the operation of an endpoint.
func NewOperation(e *table.Endpoint) Operation { return Operation{e} }

// Catalog is the catalog of the operation's API.
func (e Operation) Catalog() Catalog { return NewCatalog(e.Resource.API) }

// Operations lists the API root, and the endpoints of every resource in order of registration.
func (a Catalog) Operations() []Operation {
	endpoints := a.Endpoints()
	all := make([]Operation, len(endpoints))
	for i, e := range endpoints {
		all[i] = NewOperation(e)
	}
	return all
}

// Routes lists the API root, and every endpoint in order of registration.
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
		Permission: e.Permission.String(), Scope: scopeOf(e), Writers: writersOf(e), Doc: e.Doc,
	}
}

// writersOf describes the Writers that limits an endpoint, "" for none.
func writersOf(e *table.Endpoint) string {
	if !e.ByWriters {
		return ""
	}
	if n := e.Resource.Writers.Above; n != nil {
		return strings.TrimPrefix(e.Resource.Declaration.Writers.String()+", writers of "+n.Parent.Path, "none, ")
	}
	return e.Resource.Writers.String()
}

// scopeOf describes the scope of an endpoint, and names the parent of a nested viewset.
func scopeOf(e *table.Endpoint) string {
	if e.Resource.Above == nil {
		return e.Resource.Scope.String()
	}
	return e.Resource.Scope.String() + ", below " + e.Resource.Above.Parent.Path
}

// Access lists every endpoint with the access of each of the callers.
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

// Permissions lists the names of permissions that endpoints, scopes, fields and guards check, sorted and
// without duplicates.
func (a Catalog) Permissions() (names []string) {
	for _, e := range a.Endpoints() {
		names = append(names, a.PermissionsAt(e)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// PermissionsAt lists the names of permissions that may matter at an endpoint, sorted and without duplicates: those that it and the scopes
// and the Writers of its viewsets check, and those of all fields and guards.
func (a Catalog) PermissionsAt(e *table.Endpoint) (names []string) {
	required := []call.Permission{e.Permission, e.Deleted}
	for _, r := range a.viewsetsAt(e) {
		required = append(required, r.Scope.Unless, r.Writers.Unless)
	}
	for _, r := range a.Resources {
		required = append(required, r.Fields.Permissions()...)
	}
	for _, g := range a.Config.Guards {
		required = append(required, g.Permission)
	}
	for _, p := range required {
		names = append(names, access.HeldNames(p)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// viewsetsAt lists the viewsets whose scopes limit the rows of an endpoint: its own, those of the rows that its function shows and
// creates, those to which its input refers, and those to which a nesting, a Via or a relation leads from them.
func (a Catalog) viewsetsAt(e *table.Endpoint) (all []*table.Resource) {
	next := []*table.Resource{e.Resource, e.Shown}
	if e.Creates != nil {
		next = append(next, e.Creates.Resource)
	}
	if e.Input != nil {
		for _, f := range e.Input.Refs() {
			target, _ := a.LookUp(f.Ref) // the start has reported an error
			next = append(next, target)
		}
	}
	for len(next) > 0 {
		r := next[0]
		next = next[1:]
		if r == nil || slices.Contains(all, r) {
			continue
		}
		all, next = append(all, r), append(next, r.Scope.Via, r.Writers.Via)
		if r.Above != nil {
			next = append(next, r.Above.Parent)
		}
		if r.Relations != nil {
			for _, one := range r.Relations.All() {
				target, _ := one.Target.(*table.Resource) // nil for parts of the row
				next = append(next, target)
			}
		}
	}
	return all
}

// PathOf is the path of an endpoint, with the names of its keys in braces:
// "/api/patients/{id}/". The name of a second key is that of the action, in the singular.
func (a Catalog) PathOf(e *table.Endpoint) string {
	path := strings.NewReplacer(":id", "{"+e.Resource.KeyName()+"}", ":other", "{"+otherName(e)+"}").Replace(e.Pattern)
	for i, name := range keyNames(e.Resource) {
		path = strings.ReplaceAll(path, "/:"+table.AboveParam(i)+"/", "/{"+name+"}/")
	}
	return a.Config.Prefix + path
}

// otherName is the name of the second key in the path of an endpoint.
func otherName(e *table.Endpoint) string {
	if name := naming.Singular(e.Route.Name); name != e.Resource.KeyName() {
		return name
	}
	return e.Route.Name + "_key"
}

// accessOf returns the access of a caller to an endpoint. If a permission panics, the access is
// [spec.AccessRefused].
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
	case !e.Permission.Permit(c), c.Caller.Anonymous() && needsCaller(e):
		return spec.AccessRefused
	case e.HandsRows() && !e.Resource.Scope.Lifted(handing(e, c)), e.ByWriters && !e.Resource.Writers.Lifted(c):
		return spec.AccessScoped
	}
	return spec.AccessAllowed
}

// needsCaller reports whether the framework itself creates a row that gets an owner from the caller.
func needsCaller(e *table.Endpoint) bool {
	creates := e.Route.Name == call.VerbCreate && (e.Kind == declare.VerbAccepts || e.Bulk != nil)
	return creates && e.Resource.Declaration.Verbs.Get(e.Route.Name).Fill == nil && e.Resource.NeedsCaller()
}

// handing returns the call by which the scope of an endpoint decides: for ByReaders, that of a list.
func handing(e *table.Endpoint, c *call.Call) *call.Call {
	if e.ByReaders {
		return e.Resource.Looking(c)
	}
	return c
}

// passesGuards reports whether the guards of a path permit a caller. As for a real request,
// the guards use the authentication schemes of the API, not the endpoint's own schemes.
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

// imagined returns a call without a real request. Its caller is anonymous if there are no
// schemes, because the server could not identify the caller.
func (a Catalog) imagined(route call.Route, schemes []call.Authenticator, caller *call.Caller) *call.Call {
	o := table.CallOptions{Route: route, Request: &http.Request{Method: route.Method, URL: &url.URL{}, Header: http.Header{}}}
	if len(schemes) > 0 {
		o.Caller = caller
	}
	return a.NewCall(context.Background(), o)
}

// inventStaff returns a member of staff with an id that no user has.
func (a Catalog) inventStaff() *call.Caller {
	caller := a.InventCaller()
	caller.Staff = true
	return caller
}
