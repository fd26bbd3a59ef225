package framework

import (
	"context"
	"net/http"
	"net/url"
	"slices"
)

// An Access is what an endpoint is to a kind of caller.
type Access string

const (
	// AccessRefused is for callers who get 401 or 403, from a guard or from the
	// permission.
	AccessRefused Access = "refused"
	// AccessScoped is for callers who are permitted, and have the rows that
	// [Scope] leaves them: perhaps none.
	AccessScoped Access = "scoped"
	// AccessAllowed is for callers who are permitted where nothing narrows the
	// rows: every row is theirs, or the endpoint is a function that is handed
	// no row, as those of [Does] and [OnCollection] are. What such a function
	// reads by [Find] is in the caller's scope all the same.
	AccessAllowed Access = "allowed"
)

// A RouteAccess is one endpoint and what it is to some callers.
type RouteAccess struct {
	RouteInfo

	// Access has one entry for each caller, in the order in which they were
	// given.
	Access []Access
}

// Access says what every endpoint is to each of the callers, in the order of
// [API.Routes]; nil is an anonymous caller. Where an endpoint has no schemes to
// tell callers apart, each of them counts as anonymous.
//
// It is worked out from the declarations alone, without a request and without
// the database: guards, permissions and what lifts a scope are asked, throttles
// and functions are not. A guard of some rows' paths only is not seen. Call it
// after [API.Check] or [API.Handler]. It is safe for concurrent use.
func (a *API) Access(callers ...*Caller) []RouteAccess {
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

// Permissions lists the names that endpoints, scopes and guards may ask for by
// [Holds], [HoldsModel] and [PerModel], sorted and each once: of a model all that
// those have, whichever verbs there are. What a function or
// a permission of one's own asks for is not seen. Call it after [API.Check] or
// [API.Handler]. It is safe for concurrent use.
func (a *API) Permissions() []string {
	asking := []Permission{}
	for _, e := range a.endpoints() {
		asking = append(asking, e.permission, e.resource.scope.unless)
	}
	for _, g := range a.config.Guards {
		asking = append(asking, g.Permission)
	}
	var names []string
	for _, p := range asking {
		for _, one := range parts[permission](p) {
			names = append(names, one.holds...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// accessOf is what an endpoint is to a caller. A permission that panics lets
// nobody in.
func (a *API) accessOf(e *endpoint, path string, caller *Caller) (access Access) {
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
func (a *API) passesGuards(e *endpoint, path string, caller *Caller) bool {
	r := &http.Request{Method: e.route.Method, URL: &url.URL{Path: path}}
	for _, g := range a.config.Guards {
		if !a.guards(g, r) {
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
func (a *API) imagined(route Route, schemes []Authenticator, caller *Caller) *Call {
	c := a.newCall(context.Background(), route)
	c.request = &http.Request{Method: route.Method, URL: &url.URL{}, Header: http.Header{}}
	if len(schemes) > 0 && caller != nil {
		c.Caller = caller
	}
	return c
}

// handsRows reports whether the framework reads or writes rows of the resource
// for the endpoint, and so narrows them.
func (e *endpoint) handsRows() bool {
	switch e.route.Name {
	case verbList:
		return true
	case verbCreate:
		return e.resource.declaration.verbs.Create.kind == verbAccepts
	}
	return e.onObject
}
