package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// join returns a handler that passes a request to the handler whose pattern matches, or else to
// api. A handler that is nil, and a pattern that is malformed or conflicts with another one, are
// an error.
func join(api http.Handler, handlers map[string]http.Handler) (http.Handler, error) {
	if len(handlers) == 0 {
		return api, nil
	}
	mux := http.NewServeMux()
	for _, pattern := range slices.Sorted(maps.Keys(handlers)) {
		if err := register(mux, pattern, handlers[pattern]); err != nil {
			return nil, err
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}), nil
}

// register adds a handler to mux. It turns the panic of mux for a wrong pattern into an error.
func register(mux *http.ServeMux, pattern string, handler http.Handler) (err error) {
	if handler == nil {
		return fmt.Errorf("program: Beside: the handler of %q is nil", pattern)
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("program: Beside: the pattern %q: %v", pattern, wrong)
		}
	}()
	mux.Handle(pattern, handler)
	return nil
}
