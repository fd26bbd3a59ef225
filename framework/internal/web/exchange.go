package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
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
	c.Context = fair.With(ctx, fair.Client{Address: fair.Network(c.Address)})
	return c
}

// exchangeKey is the key of the exchange in the context of its request.
type exchangeKey struct{}

// exchangeOf returns the exchange of a request.
func exchangeOf(r *http.Request) *exchange {
	return r.Context().Value(exchangeKey{}).(*exchange) //nolint:forcetypeassert // begin put it there
}

// hungUp reports whether the client closed its connection.
func (x *exchange) hungUp() bool { return errors.Is(context.Cause(x.lasting), context.Canceled) }

// send writes the response, or the error in the API's error shape. It returns the status.
func (s *server) send(w http.ResponseWriter, x *exchange, resp *table.Response, err error) int {
	switch {
	case err != nil:
		w.Header().Del(problem.HeaderLocation)
		return s.sendError(w, x, access.AsError(err))
	case resp.Value == nil:
		forbidStoring(w.Header())
		w.WriteHeader(resp.Status)
		return resp.Status
	}
	return x.write(w, resp.Status, cmp.Or(resp.Media, "application/json"), resp.Body)
}

func (s *server) sendError(w http.ResponseWriter, x *exchange, e *problem.Error) int {
	e = s.restated(describe.Guided(s.api.Registry, e))
	for name, value := range e.Header {
		w.Header().Set(name, value)
	}
	s.vary(w.Header())
	media, body := s.shape(x, e)
	return x.write(w, e.Status, media, body)
}

// restated returns an error with the status that the settings of the API give its code.
func (s *server) restated(e *problem.Error) *problem.Error {
	status, other := s.api.Config.Statuses[e.Code]
	if !other {
		return e
	}
	c := *e
	c.Status = status
	return &c
}

// named returns a value as JSON with the names of its members, or the value itself if it cannot be
// encoded.
func named(value any, names *wire.Names) any {
	text, err := wire.Encode(value)
	if err == nil {
		text, err = names.Rename(text)
	}
	if err != nil {
		return value
	}
	return jsontext.Value(text)
}

// vary adds the headers of requests on which the bodies of errors depend to the header Vary.
func (s *server) vary(h http.Header) {
	if shape, varies := s.api.Config.ErrorShape.(problem.ShapeVarier); varies {
		for _, name := range shape.ShapeVary() {
			if !slices.Contains(h.Values("Vary"), name) {
				h.Add("Vary", name)
			}
		}
	}
}

// shape returns the media type and the body of an error in the error shape of the API.
func (s *server) shape(x *exchange, e *problem.Error) (media string, body []byte) {
	info, known := s.api.Codes[e.Code]
	page := s.api.Origin.ErrorsAt() + e.Code
	if !known {
		info.Title, page = http.StatusText(e.Status), "about:blank"
	}
	if names := wire.CompileNames(reflect.TypeOf(e.Details), s.api.Config.Case); names != nil {
		e = e.With(named(e.Details, names))
	}
	media, shape := s.api.Config.ErrorShape.Shape(problem.Problem{
		Error: e, Type: page, Title: info.Title, RequestID: x.ID, Request: x.Request(),
	})
	body, err := wire.Encode(shape)
	if err != nil {
		s.api.Config.Log.ErrorContext(x, "an error's details cannot be encoded", "code", e.Code, "error", err)
		body = []byte("{}")
	}
	return media, body
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
