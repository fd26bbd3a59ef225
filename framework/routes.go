package framework

import (
	"net/http"
	"strings"
)

// A RouteInfo describes one endpoint of a checked API, for listings.
type RouteInfo struct {
	Method     string `json:"method"`
	Path       string `json:"path"`
	ViewSet    string `json:"viewset"`
	Name       string `json:"name"`
	Permission string `json:"permission"`
	Scope      string `json:"scope"`
	Doc        string `json:"doc,omitempty"`
}

// Routes lists every endpoint, in order of registration. Call it after
// [API.Check] or [API.Handler].
func (a *API) Routes() []RouteInfo {
	var routes []RouteInfo
	for _, e := range a.endpoints() {
		routes = append(routes, a.info(e))
	}
	return routes
}

// endpoints are the API root and those of every resource.
func (a *API) endpoints() []*endpoint {
	all := []*endpoint{{
		resource: &resource{api: a, declaration: &declaration{}, scope: boundScope{Scope: Public()}}, pattern: "/",
		route: Route{Name: "root", Method: http.MethodGet}, door: door{permission: Anyone()}, doc: "Every resource and its address.",
	}}
	for _, r := range a.resources {
		all = append(all, r.endpoints...)
	}
	return all
}

func (a *API) info(e *endpoint) RouteInfo {
	return RouteInfo{
		Method: e.route.Method, Path: a.config.Prefix + strings.ReplaceAll(e.pattern, ":id", "{"+e.resource.keyName()+"}"),
		ViewSet: e.route.ViewSet, Name: e.route.Name, Permission: e.permission.String(), Scope: e.resource.scope.String(), Doc: e.doc,
	}
}

// keyName is what the routes call the part of the path that finds a row.
func (r *resource) keyName() string {
	if r.declaration.lookup != "" {
		return r.declaration.lookup
	}
	return "id"
}

// String says what the scope leaves, for listings.
func (s Scope) String() string {
	text := map[scopeKind]string{
		scopeMissing: "none", scopeOwn: "own", scopeVia: "via " + s.field, scopeWhere: "where", scopePublic: "public",
	}[s.kind]
	if s.unless != nil {
		text += ", unless " + s.unless.String()
	}
	return text
}
