package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/moving"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// An observation is a request that has observers. It records the status and the size of the
// answer while the answer is written.
type observation struct {
	http.ResponseWriter

	status int
	bytes  int64
	limit  time.Duration // of each write; 0 for the limit of the server
	taken  net.Conn      // the connection, if the handler took it over; else nil
	over   bool          // ended was called: End of the observers is not called again
	begun  int           // the number of observers whose Begin ended, except by http.ErrAbortHandler
	unfit  []int         // the indexes of the observers whose Begin panicked or returned no context
}

// WriteHeader implements [http.ResponseWriter].
func (o *observation) WriteHeader(status int) {
	if o.status < http.StatusOK { // a status 1xx is not final: another status follows it
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (o *observation) Write(p []byte) (n int, err error) {
	if o.status < http.StatusOK {
		o.status = http.StatusOK
	}
	err = o.inTime(func() error { n, err = o.ResponseWriter.Write(p); return err })
	o.bytes += int64(n)
	return n, err
}

// Unwrap lets [http.ResponseController] find the methods of the wrapped writer.
func (o *observation) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// beginObservers calls Begin of every observer, each with the context that the one before
// returned. An observer that panics or returns no context has no part in the rest of the
// request. A panic with [http.ErrAbortHandler] is passed on at once.
func (s *server) beginObservers(x *exchange, r *http.Request) {
	for i, each := range s.api.Config.Observers {
		p := s.runObserver(x, each, func() {
			ctx := each.Begin(moving.Now(x.Context), r)
			if ctx == nil {
				panic("Begin returned no context")
			}
			moving.Replace(&x.Context, ctx)
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

// runObserver calls a method of an observer. It logs a panic and returns its value, nil without
// a panic. It does not log [http.ErrAbortHandler], by which an observer closes the connection.
func (s *server) runObserver(x *exchange, each call.Observer, do func()) (p any) {
	defer func() {
		if p = recover(); p != nil && !fault.IsAbort(p) {
			s.api.Config.Log.ErrorContext(x, "an observer panicked; the request goes on without it",
				"id", x.ID.String(), "observer", fmt.Sprintf("%T", each), "error", fault.Panicked(p).Error())
		}
	}()
	do()
	return nil
}

// endUnlogged calls End of the observers for a request without a log line: a page of error
// codes, or a request that panicked with [http.ErrAbortHandler]. It does nothing if End was
// called before.
func (s *server) endUnlogged(x *exchange, r *http.Request) {
	if !x.observation.over {
		x.gone = x.observation.status == 0 && x.hungUp()
		o := s.outcome(x, r, x.observation.status, nil)
		s.ended(x, r, &o, nil)
	}
}

// finish reports the outcome of a request to the observers and to the log.
func (s *server) finish(x *exchange, r *http.Request, status int, err error) {
	x.finished = true
	o := s.outcome(x, r, status, err)
	var more []slog.Attr
	if x.observation != nil {
		more = s.ended(x, r, &o, err)
	}
	s.logged(x, r, &o, more)
}

// statusGone is the status for the log and the observers if the client disconnected before it
// had the answer. It is not an error of the server.
const statusGone = 499

// outcome returns the parts of the outcome that the log and the observers need. ended adds the
// parts that only observers need.
func (s *server) outcome(x *exchange, r *http.Request, status int, err error) call.Outcome {
	o := call.Outcome{
		ID: x.ID, Method: logMethod(r.Method), Path: x.path, ViewSet: x.Route.ViewSet, Secure: x.Secure,
		Status: status, Duration: time.Since(x.began),
	}
	if r.Method != http.MethodHead { // the answer to HEAD has no body
		o.Bytes = x.written
	}
	if x.gone {
		o.Status = statusGone
	} else if status >= http.StatusInternalServerError {
		o.Err = err
	}
	return o
}

// ended completes an outcome and passes it to the observers. It returns the attributes that they
// add to the log line.
func (s *server) ended(x *exchange, r *http.Request, o *call.Outcome, err error) []slog.Attr {
	x.observation.over = true
	if slices.Contains(naming.KnownMethods, r.Method) { // otherwise the name may be an invented method
		o.Name = x.Route.Name
	}
	if r.Method != http.MethodHead {
		o.Bytes = x.observation.bytes
	}
	if err != nil && o.Status != statusGone {
		o.Code = s.codeOf(err)
	}
	return s.endObservers(x, *o)
}

// endObservers calls End of every observer whose Begin returned a context. It calls all of them
// before it passes on a panic with [http.ErrAbortHandler].
func (s *server) endObservers(x *exchange, o call.Outcome) (more []slog.Attr) {
	var abort any
	for i, each := range s.api.Config.Observers[:x.observation.begun] {
		if slices.Contains(x.observation.unfit, i) {
			continue
		}
		p := s.runObserver(x, each, func() { more = append(more, each.End(x.Context, o)...) })
		if fault.IsAbort(p) {
			abort = p
		}
	}
	if abort != nil {
		panic(abort)
	}
	return more
}

// codeOf returns the code of an error, or "undeclared" if the API does not declare this code.
func (s *server) codeOf(err error) string {
	code := access.AsError(err).Code
	if _, declared := s.api.Codes[code]; declared {
		return code
	}
	return "undeclared"
}

// logged writes the log line of a request. The line has no query string and no body, because
// they may contain secrets. logged also counts a request that was answered 503 overloaded. The
// line of that request, and the line of a request to [NewRefusing], have the level debug.
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
		attrs = append(attrs, slog.String("caller", x.Caller.IDText()))
	}
	if theirs := r.Header.Get(problem.HeaderRequestID); theirs != "" {
		attrs = append(attrs, slog.String("client_id", naming.Legible(theirs[:min(len(theirs), 128)])))
	}
	if o.Err != nil {
		attrs = append(attrs, slog.String("error", o.Err.Error()))
	}
	s.api.Config.Log.LogAttrs(x, level, "request", append(attrs, more...)...)
}

// logMethod returns a known method, or "OTHER". A method that a client invents may be a secret
// that it sent by mistake.
func logMethod(method string) string {
	if slices.Contains(naming.KnownMethods, method) {
		return method
	}
	return "OTHER"
}
