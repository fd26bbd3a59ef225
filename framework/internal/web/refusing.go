package web

import (
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// NewRefusing makes a handler that answers every request with the error e, except that it
// answers preflight requests of allowed origins to allowed hosts. It checks no guards and runs
// the observers. Its log lines have the level debug.
func NewRefusing(a *table.Registry, e *problem.Error) http.Handler {
	s := &server{api: describe.NewCatalog(a), cors: newCORS(describe.NewCatalog(a))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.begin(w, r, func(x *exchange, w http.ResponseWriter, r *http.Request) {
			x.refusing = true
			s.answer(w, r, x.Route, func(*call.Call) (*table.Response, error) { return nil, e }, "")
		})
	})
}
