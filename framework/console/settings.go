package console

import (
	"context"
	"log/slog"
	"net/http"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/spec"
)

// The declarations of a console.
type (
	// Settings declare a console.
	Settings = declare.Console
	// A Tile shows an address of the API on the first page.
	Tile = declare.ConsoleTile
	// A Page is a page of your own.
	Page = declare.ConsolePage
	// A Visit is one request for a page of your own.
	Visit = declare.ConsoleVisit
	// A Link is a link, or an operation as one button.
	Link = declare.ConsoleLink
	// A Field is a field of the input of an operation.
	Field = declare.ConsoleField
	// A Renderer shows values of a member in another way.
	Renderer = declare.ConsoleRenderer
	// An Accent is the colour of links and of the main button.
	Accent = declare.ConsoleAccent
)

// SessionPath is the path of sessions of package auth, below the prefix.
const SessionPath = "/auth/session"

// Options are what a console is made from.
type Options struct {
	Settings

	// API describes the endpoints.
	API *spec.API
	// Beside describes endpoints that only the console reaches, for signing in; nil for none.
	Beside *spec.API
	// Handler answers requests to the API, and to the endpoints of Beside.
	Handler http.Handler
	// Allowed returns which of API.Endpoints the caller of a request may use, in their order.
	Allowed func(r *http.Request) ([]bool, error)
	// Within makes the context of a request of the console to the API. Its errors are in the form of RFC 9457.
	Within func(context.Context) context.Context
	// Log receives the errors of pages of your own.
	Log *slog.Logger
}
