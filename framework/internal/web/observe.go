package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// An observation is a request that observers are told of: it counts what is
// sent.
type observation struct {
	http.ResponseWriter

	status int
	bytes  int64
	over   bool
	begun  int   // how many observers were told of it
	unfit  []int // those of them who panicked
}

// WriteHeader implements [http.ResponseWriter].
func (o *observation) WriteHeader(status int) {
	if o.status < http.StatusOK { // what came before only announced it
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (o *observation) Write(p []byte) (int, error) {
	if o.status < http.StatusOK {
		o.status = http.StatusOK
	}
	n, err := o.ResponseWriter.Write(p)
	o.bytes += int64(n)
	return n, err
}

// Unwrap lets [http.ResponseController] find what is below.
func (o *observation) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// observed begins a request for observers.
func (s *server) observed(x *exchange, r *http.Request) {
	for i, each := range s.api.Config.Observers {
		p := s.spared(x, each, func() {
			ctx := each.Begin(x.Context, r)
			if ctx == nil {
				panic("Begin returned no context")
			}
			x.Context = ctx
		})
		if fault.IsAbort(p) {
			panic(p)
		}
		if p != nil {
			x.observation.unfit = append(x.observation.unfit, i)
		}
		x.observation.begun++
	}
}

// spared runs what an observer does, and returns what it panicked of, nil for
// nothing. The log is told, unless that breaks the connection off.
func (s *server) spared(x *exchange, each call.Observer, do func()) (p any) {
	defer func() {
		if p = recover(); p != nil && !fault.IsAbort(p) {
			s.api.Config.Log.ErrorContext(x, "an observer panicked; the request goes on without it",
				"id", x.ID.String(), "observer", fmt.Sprintf("%T", each), "error", fault.Panicked(p).Error())
		}
	}()
	do()
	return nil
}

// settled tells observers of a request that did not come to its line in the
// log: a page of error codes, or a connection that was broken off.
func (s *server) settled(x *exchange, r *http.Request) {
	if !x.observation.over {
		x.gone = x.observation.status == 0 && x.hungUp()
		o := s.outcome(x, r, x.observation.status, nil)
		s.ended(x, r, &o, nil)
	}
}

// over tells observers and the log what came of a request.
func (s *server) over(x *exchange, r *http.Request, status int, err error) {
	o := s.outcome(x, r, status, err)
	var more []slog.Attr
	if x.observation != nil {
		more = s.ended(x, r, &o, err)
	}
	s.logged(x, r, &o, more)
}

// statusGone is what the log says where the client did not wait: nothing that
// went wrong here.
const statusGone = 499

// outcome is what is known of a request that is over, whether it has observers
// or not.
func (s *server) outcome(x *exchange, r *http.Request, status int, err error) call.Outcome {
	o := call.Outcome{
		ID: x.ID, Method: logMethod(r.Method), Path: x.path, ViewSet: x.Route.ViewSet, Secure: x.Secure,
		Status: status, Duration: time.Since(x.began),
	}
	if r.Method != http.MethodHead { // whose body is not sent
		o.Bytes = x.written
	}
	if x.gone {
		o.Status = statusGone
	} else if status >= http.StatusInternalServerError {
		o.Err = err
	}
	return o
}

// ended completes an outcome and hands it to the observers.
func (s *server) ended(x *exchange, r *http.Request, o *call.Outcome, err error) []slog.Attr {
	x.observation.over = true
	if slices.Contains(naming.KnownMethods, r.Method) { // else the name may be the method's
		o.Name = x.Route.Name
	}
	if r.Method != http.MethodHead {
		o.Bytes = x.observation.bytes
	}
	if err != nil && o.Status != statusGone {
		o.Code = s.codeOf(err)
	}
	return s.toldEnd(x, *o)
}

// toldEnd tells the end of a request to those who were told of its beginning:
// to all of them, also if one breaks the connection off.
func (s *server) toldEnd(x *exchange, o call.Outcome) (more []slog.Attr) {
	var abort any
	for i, each := range s.api.Config.Observers[:x.observation.begun] {
		if slices.Contains(x.observation.unfit, i) {
			continue
		}
		p := s.spared(x, each, func() { more = append(more, each.End(x.Context, o)...) })
		if fault.IsAbort(p) {
			abort = p
		}
	}
	if abort != nil {
		panic(abort)
	}
	return more
}

// codeOf is the code of a refusal, if it is one of those that are listed.
func (s *server) codeOf(err error) string {
	code := access.AsError(err).Code
	if _, declared := s.api.Codes[code]; declared {
		return code
	}
	return "undeclared"
}

// logged writes the one line of a request: also the client's address, the route as
// it is declared and the size of the answer's body. It holds no query and no body:
// they may carry what a log must not keep.
func (s *server) logged(x *exchange, r *http.Request, o *call.Outcome, more []slog.Attr) {
	level := slog.LevelInfo
	switch {
	case x.refusing || s.shed(x.Call, o.Err): // there may be many such requests
		level = slog.LevelDebug
	case o.Err != nil:
		level = s.severity(o.Err)
	case s.api.Config.Slow > 0 && o.Duration >= s.api.Config.Slow:
		level = slog.LevelWarn
	}
	if !s.api.Config.Log.Enabled(x, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("id", x.ID.String()), slog.String("method", o.Method), slog.String("path", naming.Legible(r.URL.Path)),
		slog.Int("status", o.Status), slog.Int64("bytes", o.Bytes), slog.Duration("took", o.Duration),
	}
	if o.Path != "" {
		attrs = append(attrs, slog.String("route", o.Path))
	}
	if x.Address.IsValid() {
		attrs = append(attrs, slog.String("address", x.Address.String()))
	}
	if !x.Caller.Anonymous() {
		attrs = append(attrs, slog.String("caller", x.Caller.ID.String()))
	}
	if theirs := r.Header.Get(problem.HeaderRequestID); theirs != "" {
		attrs = append(attrs, slog.String("client_id", naming.Legible(theirs[:min(len(theirs), 128)])))
	}
	if o.Err != nil {
		attrs = append(attrs, slog.String("error", o.Err.Error()))
	}
	s.api.Config.Log.LogAttrs(x, level, "request", append(attrs, more...)...)
}

// logMethod keeps out of the log what a client made up, which may be a secret
// in the wrong place.
func logMethod(method string) string {
	if slices.Contains(naming.KnownMethods, method) {
		return method
	}
	return "OTHER"
}
