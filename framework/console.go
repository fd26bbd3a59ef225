package framework

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/console"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/web"
	"trestle.example/framework/problem"
)

// A Console declares pages for people, made from the declarations: see [Config].Console and package console.
type Console = console.Settings

// A ConsoleSignIn has endpoints for signing in that only requests of the console reach: see [API.AddConsoleSignIn].
// ConsoleSignIn of package auth's Service makes one.
type ConsoleSignIn struct {
	// Sessions has the endpoint of sessions, /auth/session, for an API without it. It is required.
	Sessions Resource
	// Schemes identify the caller by the cookies that Sessions sets. They run before those of [Config].Authentication. An endpoint or
	// a viewset with an Authentication of its own runs that alone.
	Schemes []Authenticator
	// First has the endpoint that makes the first superuser, /auth/first/superuser. Defaults to none.
	First Resource
	// Codes explain the errors of Sessions and First.
	Codes []CodeInfo
}

// AddConsoleSignIn lets people sign in to the console by endpoints and schemes that only requests of the console reach. What
// other clients get stays the same. Sessions and Schemes have no effect if the API has the endpoint of sessions itself. Nothing has an
// effect without a console, or if Console.Session names another endpoint. It must be called before [API.Handler].
func (a *API) AddConsoleSignIn(s ConsoleSignIn) { a.signIn = &s }

// withConsole returns a handler that answers requests below the console's path by it, and all others by the API.
func (a *API) withConsole(api http.Handler) (http.Handler, error) {
	settings := a.registry.Config.Console
	if settings.Path == "" {
		return api, nil
	}
	o, err := a.consoleOptions(api)
	if err != nil {
		return nil, err
	}
	pages, err := console.New(o)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := pages.PageFor(r)
		switch {
		case strings.HasPrefix(r.URL.Path, settings.Path):
			pages.ServeHTTP(w, r)
		case r.URL.Path+"/" == settings.Path: // as people type it
			w.Header().Set("Location", settings.Path)
			w.WriteHeader(http.StatusSeeOther)
		case to != "":
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusSeeOther)
		default:
			api.ServeHTTP(w, r)
		}
	}), nil
}

// consoleOptions returns what the console is made from.
func (a *API) consoleOptions(api http.Handler) (console.Options, error) {
	o := console.Options{
		Settings: a.registry.Config.Console, API: describe.NewCatalog(a.registry).Spec(), Handler: api, Allowed: a.allowed,
		Within: describe.Plainly, Log: a.registry.Config.Log,
	}
	if a.signIn == nil || o.Session != "" {
		return o, nil
	}
	var resources []Resource
	if a.signIn.First != nil {
		resources = append(resources, a.signIn.First)
	}
	if !a.hasSessions() {
		if err := a.checkConsoleIDs(); err != nil {
			return o, err
		}
		resources = append(resources, a.signIn.Sessions)
		o.Within = func(ctx context.Context) context.Context {
			return access.WithFurther(describe.Plainly(ctx), a.signIn.Schemes, a.registry.Config.Authentication)
		}
	}
	if resources == nil {
		return o, nil
	}
	beside, err := a.besideConsole(resources)
	if err != nil {
		return o, err
	}
	handler, err := web.NewServer(beside.registry, beside.document)
	o.Beside, o.Handler = describe.NewCatalog(beside.registry).Spec(), joined(handler, beside.Routes(), api)
	return o, err
}

// checkConsoleIDs returns an error if the ids of the people who sign in have another type than those of the API's callers.
func (a *API) checkConsoleIDs() error {
	for _, s := range a.signIn.Schemes {
		if ids, own := call.IDTypeOf(s), a.registry.CallerID; own != nil && ids != own {
			return fmt.Errorf("Config.Console: people who sign in have ids of type %s, and callers of the API have ids of type %s; "+
				"leave the console out, or add endpoints of sessions for these callers", ids, own)
		}
	}
	return nil
}

// hasSessions reports whether the API has the endpoint by which people sign in to the console.
func (a *API) hasSessions() bool {
	return slices.ContainsFunc(a.Routes(), func(r RouteInfo) bool { return r.Path == a.Prefix()+console.SessionPath })
}

// besideConsole returns an API of the endpoints that only the console reaches, with the guards of their paths. Guards of other prefixes
// would be mistakes in it.
func (a *API) besideConsole(resources []Resource) (*API, error) {
	c := Config(a.registry.Config)
	c.Console, c.Undocumented, c.Statuses = Console{}, true, nil
	c.Guards = slices.DeleteFunc(slices.Clone(c.Guards), func(g call.Guard) bool {
		under := strings.Trim(g.Under, "/")
		return under != "" && !isUnder(console.SessionPath, under) && !isUnder(console.FirstPath, under)
	})
	c.Codes = slices.Clone(c.Codes)
	for _, code := range a.signIn.Codes {
		if !slices.ContainsFunc(c.Codes, func(own problem.CodeInfo) bool { return own.Code == code.Code }) {
			c.Codes = append(c.Codes, code)
		}
	}
	beside := New(c)
	beside.Register(resources...)
	return beside, beside.Check()
}

// isUnder reports whether a path is in a folder, or is the folder itself.
func isUnder(path, folder string) bool { return strings.HasPrefix(path+"/", "/"+folder+"/") }

// joined returns a handler that answers requests for some routes, which have no keys, and passes all others to the API.
func joined(handler http.Handler, routes []RouteInfo, api http.Handler) http.Handler {
	paths := map[string]bool{}
	for _, r := range routes[1:] { // the first one is the root
		paths[r.Path] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if paths[r.URL.Path] {
			handler.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// allowed returns which endpoints the caller of a request may use, in the order of the API's description.
func (a *API) allowed(r *http.Request) ([]bool, error) {
	c, err := web.Identify(a.registry, r)
	if err != nil {
		return nil, err
	}
	return each(describe.NewCatalog(a.registry).Access([]*call.Caller{c.Caller}), func(row spec.RouteAccess) bool {
		return row.Access[0] != spec.AccessRefused
	}), nil
}
