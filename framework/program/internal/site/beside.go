package site

import (
	"net/http"

	"trestle.example/framework"
	"trestle.example/framework/httpserver"
)

// Beside is what a program serves beside the API.
type Beside struct {
	// Handlers by pattern of [http.ServeMux], such as "/api/auth/oidc/" or "GET /events". The API
	// answers every request that no pattern matches. API.Protect of package framework gives a
	// handler the callers, permissions, rates and errors of the API.
	Handlers map[string]http.Handler
	// APIs are the further APIs whose handlers are in Handlers, such as a second version. Site.NewAPI makes them. The
	// commands check, doctor and serve compare their declarations with the database, and serve
	// calls [framework.API.Run] for each, as for the API of the program.
	APIs []*framework.API
	// Checks are run by /readyz, beside those of the database and of Redis.
	Checks []httpserver.Check
}
