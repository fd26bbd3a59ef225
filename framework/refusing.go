package framework

import "net/http"

// Overloaded refuses a request because there are too many at once: status 503.
func Overloaded() *Error {
	e := Refuse(http.StatusServiceUnavailable, CodeOverloaded, "There are more requests than the server can answer; try again shortly.")
	e.Header = map[string]string{headerRetry: "1"}
	return e
}

// Unavailable refuses a request because the server cannot answer any just now,
// such as one that waits for its database: status 503.
func Unavailable() *Error { return unavailable(1) }

// Refusing returns a handler that refuses every request in the shape and with the
// headers of the API, and touches no database: for what stands before the API, such as
// a limit of requests at once or a server that is still starting. Its requests are
// told to observers, and logged at the level debug: there may be many, all alike.
// Like [API.Handler] it checks every declaration first.
func (a *API) Refusing(e *Error) (http.Handler, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	s := &server{api: a, cors: newCORS(a)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.begin(w, r, func(c *Call, w http.ResponseWriter, r *http.Request) {
			c.turnedAway = true
			s.answer(w, r, c.Route, func(*Call) (*response, error) { return nil, e }, "")
		})
	}), nil
}
