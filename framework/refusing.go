package framework

import (
	"net/http"

	"trestle.example/framework/problem"
)

// Refusing returns a handler that answers every request with e, in the error format and
// with the headers of the API. It does not use the database. It is for a server that is
// starting: see Options.Starting of package httpserver. Observers are called for its
// requests. The log has them at the level debug only, because there may be many. Like
// [API.Handler] it checks every declaration first.
func (a *API) Refusing(e *problem.Error) (http.Handler, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	s := &server{api: a, cors: newCORS(a)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.begin(w, r, func(c *Call, w http.ResponseWriter, r *http.Request) {
			c.refusing = true
			s.answer(w, r, c.Route, func(*Call) (*response, error) { return nil, e }, "")
		})
	}), nil
}
