package web

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/caching"
	"trestle.example/framework/internal/moving"
	"trestle.example/framework/internal/table"
)

// wrap runs serve inside the middleware of an endpoint, which may be nil.
func (s *server) wrap(e *table.Endpoint, w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	x := exchangeOf(r)
	x.credentials = e != nil && e.Cache.HasCredentials(r) // now, because middleware may remove the headers
	if e == nil || len(e.Middleware) == 0 {
		serve(w, r)
		return
	}
	if e.Cache != nil {
		w = caching.Guard{ResponseWriter: w}
	}
	x.Route = e.Route
	var next http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		moving.Replace(&x.Context, r.Context()) // it has the values of the middleware
		serve(w, r)
	})
	for _, m := range slices.Backward(e.Middleware) {
		next = m(next)
	}
	s.run(x, x.observe(w), r, next)
}

// observe records what is written, if nothing records it yet.
func (x *exchange) observe(w http.ResponseWriter) http.ResponseWriter {
	if x.observation == nil {
		x.observation = &observation{ResponseWriter: w}
		return x.observation
	}
	return w
}
