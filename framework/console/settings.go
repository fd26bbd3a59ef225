package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/spec"
)

// Settings declare a console.
type Settings = declare.Console

// sessionPath is the path of sessions of package auth, below the prefix.
const sessionPath = "/auth/session"

// Options are what a console is made from.
type Options struct {
	Settings

	// API describes the endpoints.
	API *spec.API
	// Handler answers requests to the API.
	Handler http.Handler
	// Allowed returns which of API.Endpoints the caller of a request may use, in their order.
	Allowed func(r *http.Request) ([]bool, error)
	// Plainly makes the context of a request whose errors are in the form of RFC 9457.
	Plainly func(context.Context) context.Context
}

// New makes a console. An API without the endpoint of sessions is an error.
func New(o Options) (*Console, error) {
	o.Title, o.Session = cmp.Or(o.Title, o.API.Title), cmp.Or(o.Session, sessionPath)
	c := &Console{Options: o, site: site.New(o.API), client: client.Client{Handler: o.Handler, Plainly: o.Plainly, Cookies: client.Cookies{Path: o.Path}}}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		if at := c.site.Find(c.sessionAt()); at.Place == nil || at.Place.By[method] == nil {
			return nil, errors.New("Config.Console: the API has no endpoint " + method + " " + c.sessionAt() +
				", by which people sign in; register the viewset of package auth, or set Console.Session")
		}
	}
	if c.site.Find(c.sessionAt()).Place.By[http.MethodPost].Body == nil {
		return nil, errors.New("Config.Console: POST " + c.sessionAt() + " takes no input, by which people sign in; Console.Session names another endpoint")
	}
	return c, nil
}
