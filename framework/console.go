package framework

import (
	"net/http"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/console"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/web"
)

// A Console declares pages for people, made from the declarations: see [Config].Console and package console.
type Console = console.Settings

// withConsole returns a handler that answers requests below the console's path by it, and all others by the API.
func (a *API) withConsole(api http.Handler) (http.Handler, error) {
	settings, catalog := a.registry.Config.Console, describe.NewCatalog(a.registry)
	if settings.Path == "" {
		return api, nil
	}
	pages, err := console.New(console.Options{
		Settings: settings, API: catalog.Spec(), Handler: api, Allowed: a.allowed, Plainly: describe.Plainly, Log: a.registry.Config.Log,
	})
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
