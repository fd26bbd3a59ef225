package framework

import "strings"

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
	routes := []RouteInfo{{
		Method: "GET", Path: a.config.Prefix + "/", Name: "root",
		Permission: Anyone().String(), Scope: Public().String(), Doc: "Every resource and its address.",
	}}
	for _, r := range a.resources {
		for _, e := range r.endpoints {
			routes = append(routes, RouteInfo{
				Method: e.route.Method, Path: a.config.Prefix + strings.ReplaceAll(e.pattern, ":id", "{"+r.keyName()+"}"),
				ViewSet: r.path, Name: e.route.Name, Permission: e.permission.String(), Scope: r.scope.String(), Doc: e.doc,
			})
		}
	}
	return routes
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
