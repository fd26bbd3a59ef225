package framework

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/problem"
)

// A door is what a caller passes before anything else: the schemes that
// identify, the throttles and the permission.
type door struct {
	authentication []Authenticator
	throttles      []Throttle
	permission     Permission
}

// An endpoint is one method on one path, ready to serve. Every request walks
// the same way through it: identify, throttle, permit, decode, act, represent.
type endpoint struct {
	resource *resource
	route    Route
	pattern  string // below the prefix, canonical: "/patients/:id/"
	onObject bool
	doc      string
	named    string // its id in the reference, "" for the usual one
	door
	status       int // 0 for the usual one
	untransacted bool
	idempotent   bool // it honours the header Idempotency-Key
	kind         verbKind
	pagination   Pagination // of a list
	listed       []any      // its filters and pagination, as declared
	refuses      []string   // codes of its function
	sends        []Header   // headers that its function sets
	takes        []Header   // headers that its function reads
	signsIn      bool       // it gives credentials to callers without any
	params       []Param
	asks         bool         // it reads its query string itself
	input        *input.Shape // nil if it takes no body
	out          reflect.Type // what one row or answer looks like
	keyOf        []int        // where the answer of a function has the row's key, nil for nowhere
	serve        func(c *Call, r *request) (*response, error)
}

// A request is what an endpoint works on.
type request struct {
	http  *http.Request
	key   any // the parsed key of the path, nil without one
	query url.Values
	body  []byte

	idempotency *idempotencyKey // nil without one
}

// A response is what an endpoint answers; value nil sends no body.
type response struct {
	status  int
	value   any
	body    []byte // value as JSON
	media   string // of body, "" for JSON
	created string // the path of what was created, "" for nothing
}

// statusOr is the status that was declared, or else the usual one.
func (e *endpoint) statusOr(usual int) int {
	if e.status != 0 {
		return e.status
	}
	return usual
}

// settleStatus gives an endpoint of a function its usual status.
func (e *endpoint) settleStatus() {
	switch {
	case e.status != 0:
	case e.out == input.NoneType:
		e.status = http.StatusNoContent
	case e.route.Name == verbCreate:
		e.status = http.StatusCreated
	default:
		e.status = http.StatusOK
	}
	e.findKey()
}

// answer is the response to a function's value.
func (e *endpoint) answer(value any) *response {
	if e.out == input.NoneType {
		return &response{status: e.status}
	}
	return &response{status: e.status, value: value, created: e.created(value)}
}

// newCall begins a request.
func (a *API) newCall(ctx context.Context, route Route) *Call {
	s := a.db.Session()
	return &Call{
		Context: ctx, DB: s.IDB(), Caller: &Caller{}, Now: a.config.Now().UTC().Truncate(time.Microsecond),
		ID: newID(), Route: route, session: s, api: a, notes: &notes{}, header: http.Header{}, began: time.Now(),
	}
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// handle walks one request through the endpoint.
func (e *endpoint) handle(c *Call, r *http.Request, keyText string) (*response, error) {
	if err := e.admit(c, r); err != nil {
		return nil, e.forbidding(err)
	}
	if err := e.precondition(r); err != nil {
		return nil, err
	}
	c.onBehalfOf(e.route.ViewSet)
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
	memory := c.api.bodies.For(fair.ClientOf(c))
	defer memory.End()
	if req.body, err = e.readBody(r, memory); err != nil {
		return nil, err
	}
	if req.idempotency, err = e.idempotencyKey(c, req); err != nil {
		return nil, err
	}
	resp, err := e.serve(c, req)
	if err != nil {
		return nil, e.asked(e.resource.translate(err, e, req.body))
	}
	return resp, nil
}

// asked adds WWW-Authenticate to a 401 that a scope or a function makes.
func (e *endpoint) asked(err error) error {
	var refusal *problem.Error
	if errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized && refusal.Header[problem.HeaderChallenge] == "" {
		return challenged(refusal, e.authentication)
	}
	return err
}

// admit identifies the caller, then asks throttles and permission. Throttles that do
// not need the caller are asked first.
func (d door) admit(c *Call, r *http.Request) error {
	if err := d.throttle(c, r, true); err != nil {
		return err
	}
	if err := identify(c, r, d.authentication); err != nil {
		return err
	}
	if err := d.throttle(c, r, false); err != nil {
		return err
	}
	if !d.permission.Permit(c) {
		return refused(c, d.authentication)
	}
	return nil
}

// throttle asks the throttles that need the caller, or those that do not.
func (d door) throttle(c *Call, r *http.Request, early bool) error {
	for _, t := range d.throttles {
		if isEarly(t) != early {
			continue
		}
		wait, err := t.Allow(c, r)
		if err != nil {
			return err
		}
		if wait > 0 {
			return problem.Throttled(wait)
		}
	}
	return nil
}

// onBehalfOf has the statements of a call run for its caller and its viewset.
func (c *Call) onBehalfOf(viewset string) {
	client := fair.Client{Anonymous: c.Caller.Anonymous(), Address: fair.Network(c.Address), Resource: viewset}
	if !client.Anonymous {
		client.Caller = c.Caller.ID.String()
	}
	c.Context = fair.With(c.Context, client)
}

// identify asks the authenticators in turn. Credentials that no scheme
// recognises, or that do not hold, are never taken for anonymous.
// A request that passed a guard is not identified again by the same schemes;
// by others it is, as if no guard had known the caller.
func identify(c *Call, r *http.Request, schemes []Authenticator) error {
	if c.identified != nil && sameList(c.identified, schemes) {
		return nil
	}
	c.identified, c.Caller = schemes, &Caller{}
	for _, scheme := range schemes {
		caller, err := scheme.Authenticate(c, r)
		if err != nil {
			if e := asError(err); e.Status == http.StatusUnauthorized {
				return challenged(e, schemes)
			}
			return err
		}
		if caller != nil {
			c.Caller = caller
			return nil
		}
	}
	if r.Header.Get("Authorization") != "" && len(schemes) > 0 {
		return challenged(UnknownCredentials(schemes...), schemes)
	}
	return nil
}

func sameList[T any](a, b []T) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// refused is 401 for a caller nobody knows and 403 for one who is known.
func refused(c *Call, schemes []Authenticator) error {
	if c.Caller.Anonymous() && len(schemes) == 0 {
		return problem.Refuse(http.StatusUnauthorized, problem.CodeAuthenticationRequired, "This needs credentials, and no credentials are accepted here.")
	}
	if c.Caller.Anonymous() {
		return challenged(problem.Unauthenticated(), schemes)
	}
	return problem.Forbidden()
}

// challenged adds WWW-Authenticate, one challenge per scheme.
func challenged(e *problem.Error, schemes []Authenticator) *problem.Error {
	challenge := ""
	for _, s := range schemes {
		if one := s.Challenge(); one != "" {
			if challenge != "" {
				challenge += ", "
			}
			challenge += one
		}
	}
	if challenge == "" {
		return e
	}
	c := *e
	c.Header = map[string]string{problem.HeaderChallenge: challenge}
	maps.Copy(c.Header, e.Header)
	return &c
}
