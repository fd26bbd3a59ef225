package framework

import (
	"errors"
	"net/http"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/problem"
)

// A handler runs the requests of an endpoint.
type handler struct{ *endpoint }

// newHandler makes the handler of an endpoint.
func newHandler(e *endpoint) handler { return handler{e} }

// handle walks one request through the endpoint.
func (e handler) handle(c *Call, r *http.Request, keyText string) (*response, error) {
	if err := e.admit(c, r); err != nil {
		return nil, newOperation(e.endpoint).forbidding(err)
	}
	if err := e.precondition(r); err != nil {
		return nil, err
	}
	onBehalfOf(c, e.route.ViewSet)
	req := &request{http: r}
	if e.onObject && !e.resource.declaration.single {
		key, ok := input.ParseKey(e.resource.key.IndirectType, keyText)
		if !ok {
			return nil, problem.NotFound()
		}
		req.key = key
	}
	var err error
	if req.query, err = input.ReadQuery(r); err != nil {
		return nil, err
	}
	if !e.asks {
		if err := e.ignoreQuery(c, req.query); err != nil {
			return nil, err
		}
	}
	memory := e.resource.api.bodies.For(fair.ClientOf(c))
	defer memory.End()
	if req.body, err = e.readBody(r, memory); err != nil {
		return nil, err
	}
	if err := e.checkKeyless(c, req); err != nil {
		return nil, err
	}
	resp, err := e.serve(c, req)
	if err != nil {
		return nil, e.asked(translate(e.endpoint, err, req.body))
	}
	return resp, nil
}

// asked adds WWW-Authenticate to a 401 that a scope or a function makes.
func (e handler) asked(err error) error {
	var refusal *problem.Error
	if errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized && refusal.Header[problem.HeaderChallenge] == "" {
		return challenged(refusal, e.authentication)
	}
	return err
}
