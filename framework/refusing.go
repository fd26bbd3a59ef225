package framework

import (
	"net/http"

	"trestle.example/framework/problem"
)

// newRefusing makes a handler that answers every request with e.
func newRefusing(a *registry, e *problem.Error) http.Handler {
	s := &server{api: newCatalog(a), cors: newCORS(newCatalog(a))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.begin(w, r, func(x *exchange, w http.ResponseWriter, r *http.Request) {
			x.refusing = true
			s.answer(w, r, x.Route, func(*Call) (*response, error) { return nil, e }, "")
		})
	})
}
