package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/moving"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// An exchange is one request and what the server knows about its answer. It belongs to
// the goroutine of the request.
type exchange struct {
	*call.Call

	began       time.Time
	lasting     context.Context // of the request, without the deadline of the API
	progress    *progress       // of an answer that is sent in parts; nil for any other
	path        string          // the path of the route, as in [call.Outcome]
	observation *observation    // nil without observers
	written     int64           // bytes of the answer's body
	gone        bool            // the client disconnected before the answer was sent
	credentials bool            // the request for an answer that caches may keep has credentials
	refusing    bool            // the handler of [NewRefusing] answers it
	failed      error           // the error of [WriteError], of a middleware of echo, or of an answer in parts that did not begin
	finished    bool            // the log and the observers have the outcome
}

// newCall makes the call of a request whose caller is not identified yet.
func newCall(ctx context.Context, a *table.Registry, r *http.Request, header http.Header) *call.Call {
	c := a.NewCall(ctx, table.CallOptions{
		Route: call.Route{Method: naming.MethodOf(r)}, Header: header, Request: r,
		Address: a.Origin.Address(r), Secure: a.Origin.Secure(r),
	})
	c.Context = moving.New(fair.With(ctx, fair.Client{Address: fair.Network(c.Address)}))
	return c
}

// exchangeKey is the key of the exchange in the context of its request.
type exchangeKey struct{}

// exchangeOf returns the exchange of a request.
func exchangeOf(r *http.Request) *exchange {
	return r.Context().Value(exchangeKey{}).(*exchange) //nolint:forcetypeassert // begin put it there
}

// become gives the call a context, and returns the request with it.
func (x *exchange) become(ctx context.Context, r *http.Request) *http.Request {
	moving.Replace(&x.Context, ctx)
	return r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
}

// hungUp reports whether the client closed its connection.
func (x *exchange) hungUp() bool { return errors.Is(context.Cause(x.lasting), context.Canceled) }

// send writes the response, or the error in the API's error shape. It returns the status.
func (s *server) send(w http.ResponseWriter, x *exchange, resp *table.Response, err error) int {
	if err != nil {
		w.Header().Del(problem.HeaderLocation)
		return s.sendError(w, x, access.AsError(err))
	}
	resp.Cache.Apply(w.Header(), x.credentials || !x.Caller.Anonymous())
	if resp.Value == nil {
		forbidStoring(w.Header())
		w.WriteHeader(resp.Status)
		return resp.Status
	}
	return x.write(w, resp.Status, cmp.Or(resp.Media, "application/json"), resp.Body)
}

func (s *server) sendError(w http.ResponseWriter, x *exchange, e *problem.Error) int {
	e = s.api.Restated(e)
	for name, value := range e.Header {
		w.Header().Set(name, value)
	}
	s.api.Vary(w.Header())
	media, body := s.api.Shape(x.Call, e)
	return x.write(w, e.Status, media, body)
}

// write sends an answer that has a body, and returns the status. It
// records whether the client has disconnected.
func (x *exchange) write(w http.ResponseWriter, status int, media string, body []byte) int {
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	forbidStoring(h)
	w.WriteHeader(status)
	n, err := w.Write(body) //nolint:gosec // G705: it is JSON, and has its media type and nosniff
	x.written += int64(n)
	if err != nil {
		x.gone = x.gone || x.hungUp()
	}
	return status
}
