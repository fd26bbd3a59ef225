package web

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/moving"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
)

// handlerName is the name of the route of a handler beside the API.
const handlerName = "handler"

// checkProtection returns the mistakes in the arguments of API.Protect.
func checkProtection(permission call.Permission, next http.Handler) error {
	var mistakes []error
	access.CheckPermission(permission, func(err error) { mistakes = append(mistakes, naming.Sentence("API.Protect: %w", err)) })
	if permission == nil {
		mistakes = append(mistakes, naming.Sentence("API.Protect: the permission is nil; framework.Anyone() permits every caller"))
	}
	if next == nil {
		mistakes = append(mistakes, naming.Sentence("API.Protect: the handler is nil"))
	}
	return errors.Join(mistakes...)
}

// NewProtected makes a handler that passes a request to next if it passes the checks of an
// endpoint: the host, the guards, the throttles and the authenticators of the API, and the
// permission. It answers any other request itself. It answers preflight requests of allowed
// origins, runs the observers, and logs each request. A permission or a handler that is not valid is an error.
func NewProtected(a *table.Registry, permission call.Permission, next http.Handler) (http.Handler, error) {
	if err := checkProtection(permission, next); err != nil {
		return nil, err
	}
	s := newBeside(a)
	check := access.Check{Authentication: a.Config.Authentication, Throttles: a.Config.Throttles, Permission: permission}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.begin(w, r, func(x *exchange, w http.ResponseWriter, r *http.Request) {
			w = x.observe(w)
			x.path = patternOf(r)
			w.Header().Set(problem.HeaderRequestID, x.ID.String())
			if _, err := protect(func() (*table.Response, error) { return nil, s.admit(x.Call, r, check) }); err != nil {
				s.answer(w, r, x.Route, func(*call.Call) (*table.Response, error) { return nil, err }, "")
				return
			}
			verb.Charge(x.Call, "")
			r = x.become(withValues(x.lasting, moving.Now(x.Context)), r)
			fair.Last(x)
			forbidStoring(w.Header())
			x.observation.limit = a.Config.Timeout
			x.observation.setDeadlines(0)
			s.run(x, w, r, next)
			if x.observation.taken == nil {
				x.observation.setDeadlines(a.Config.Timeout)
			}
		})
	}), nil
}

func newBeside(a *table.Registry) *server {
	return &server{api: describe.NewCatalog(a), cors: newCORS(describe.NewCatalog(a))}
}

// admit checks the host, the guards of the path, and then a check of its own.
func (s *server) admit(c *call.Call, r *http.Request, check access.Check) error {
	if err := s.gate(c, r); err != nil {
		return err
	}
	c.Route = call.Route{Name: handlerName, Method: naming.MethodOf(r)}
	return s.api.ForbiddingBy(call.Guard{Permission: check.Permission}, c, check.Admit(c, r))
}

// run runs a handler beside the API, or the middleware of an endpoint, and logs the request
// unless an endpoint did so. If the handler panics, the answer is 500, or the connection is
// closed if the answer has begun.
func (s *server) run(x *exchange, w http.ResponseWriter, r *http.Request, next http.Handler) {
	_, err := protect(func() (*table.Response, error) { next.ServeHTTP(w, r); return nil, nil })
	status := x.observation.status
	if err == nil && status == 0 {
		err = x.failed
	}
	x.written, x.gone = x.observation.bytes, x.hungUp()
	switch {
	case err != nil && status == 0:
		s.answer(w, r, x.Route, func(*call.Call) (*table.Response, error) { return nil, err }, "")
	case err != nil:
		s.finish(x, r, http.StatusInternalServerError, err)
		if x.observation.taken != nil { // net/http does not close it
			_ = x.observation.taken.Close()
		}
		panic(http.ErrAbortHandler)
	case !x.finished:
		s.finish(x, r, cmp.Or(status, http.StatusOK), x.failed) // net/http sends 200 if nothing is written
	}
}

// patternOf returns the path of the pattern of net/http that matched a request, "" without one.
func patternOf(r *http.Request) string {
	if at := strings.IndexByte(r.Pattern, '/'); at >= 0 {
		return r.Pattern[at:]
	}
	return ""
}

// values is a context with the values of another, which has a deadline that it does not have.
type values struct {
	context.Context

	of context.Context
}

// withValues returns ctx with the values of another context, but with its own end and cause.
func withValues(ctx, of context.Context) context.Context {
	return &values{ctx, context.WithoutCancel(of)} // its cause would be that of the deadline
}

func (v *values) Value(key any) any {
	if value := v.of.Value(key); value != nil {
		return value
	}
	return v.Context.Value(key)
}

// CallOf returns the call of a request that passed [NewProtected], nil for any other context.
func CallOf(ctx context.Context) *call.Call {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x.Call
	}
	return nil
}

// Identify returns a call of the caller of a request. It runs the authenticators of the API. For
// a request that passed [NewProtected], it returns the call of that.
func Identify(a *table.Registry, r *http.Request) (*call.Call, error) {
	if c := CallOf(r.Context()); c != nil {
		return c, nil
	}
	c := newCall(r.Context(), a, r, http.Header{})
	c.Route.Name = handlerName
	if err := a.Origin.HostAllowed(r); err != nil {
		return nil, err
	}
	if err := access.Identify(c, r, a.Config.Authentication); err != nil {
		return nil, err
	}
	verb.Charge(c, "")
	return c, nil
}

// WriteError answers a request with an error, as an endpoint of the API would. It logs an error
// of status 500 and above, unless the request passed [NewProtected], which logs it.
func WriteError(a *table.Registry, w http.ResponseWriter, r *http.Request, err error) {
	s := newBeside(a)
	x, protected := r.Context().Value(exchangeKey{}).(*exchange)
	if !protected {
		x = &exchange{Call: newCall(r.Context(), a, r, w.Header()), began: time.Now(), lasting: r.Context()}
	}
	guardAnswer(w.Header())
	w.Header().Set(problem.HeaderRequestID, x.ID.String())
	x.failed = err
	if status := s.send(w, x, nil, err); status >= http.StatusInternalServerError && !protected {
		s.finish(x, r, status, err)
	}
}

// Flush implements [http.Flusher], for answers that are sent in parts.
func (o *observation) Flush() {
	if o.status < http.StatusOK {
		o.status = http.StatusOK
	}
	_ = o.inTime(http.NewResponseController(o.ResponseWriter).Flush)
}

// inTime gives a write its limit. Between two writes there is no deadline: a stream may wait as
// long as it has nothing to send.
func (o *observation) inTime(write func() error) error {
	if o.limit == 0 {
		return write()
	}
	control := http.NewResponseController(o.ResponseWriter)
	_ = control.SetWriteDeadline(time.Now().Add(o.limit))
	err := write()
	_ = control.SetWriteDeadline(time.Time{})
	return err
}

// setDeadlines replaces the server's deadlines of the request: reads and writes end after a time,
// or have no deadline if it is 0.
func (o *observation) setDeadlines(after time.Duration) {
	var end time.Time
	if after > 0 {
		end = time.Now().Add(after)
	}
	control := http.NewResponseController(o.ResponseWriter)
	_ = control.SetReadDeadline(end)
	_ = control.SetWriteDeadline(end)
}

// Hijack implements [http.Hijacker], for protocols such as websocket. A handler may keep the
// connection after it returned, so its deadlines are left alone from here on.
func (o *observation) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(o.ResponseWriter).Hijack()
	if err == nil {
		o.status, o.taken = http.StatusSwitchingProtocols, conn
	}
	return conn, rw, err
}
