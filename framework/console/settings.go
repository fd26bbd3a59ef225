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
	// Log receives the errors of pages of your own.
	Log *slog.Logger
}
