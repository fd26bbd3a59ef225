package framework

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// An Observer is told of every request: for metrics, traces and the like. It is
// used by many requests at once and has to be fast. A panic in it fails no request:
// that is answered as if the observer were not there, and the log has the stack.
// Packages metrics and tracing have one each.
type Observer interface {
	// Begin is called when a request arrives, before anything is known of it.
	// The context that it returns, ctx or one made of it, is that of everything
	// that is done for the request, its statements among it. An observer
	// whose Begin panics, or returns nil, is not told of the End.
	Begin(ctx context.Context, r *http.Request) context.Context
	// End is called once when the request is over, with the context that came of
	// every Begin. What it returns is added to the request's line in the log.
	End(ctx context.Context, o Outcome) []slog.Attr
}

// An Outcome is what came of a request. But for Err nothing in it is of the
// client's making: Method, Path, ViewSet, Name, Status and Code have few values
// each, which makes them fit for labels.
type Outcome struct {
	// ID names the request in the response, the log and the error.
	ID uuid.UUID
	// Method is a method of HTTP, "OTHER" for what a client made up.
	Method string
	// Path is where the request was routed, as [RouteInfo.Path] has it:
	// "/api/patients/{id}/". It is empty where nothing is served, and where the
	// request was refused before it was routed.
	Path string
	// ViewSet and Name are the viewset and the verb or action, as of [Route]; empty
	// where there is none.
	ViewSet, Name string
	// Secure says that the request came by TLS, as of [Call.Secure].
	Secure bool
	// Status is the answer's, 499 if the client did not wait for it, and 0 if the
	// connection was broken off before there was one.
	Status int
	// Bytes is how long the answer's body is, as it was sent.
	Bytes int64
	// Duration runs from the request's arrival to the end of its answer.
	Duration time.Duration
	// Code is that of a refusal, "undeclared" if [Config.Codes] lacks it; empty for
	// an answer that is none.
	Code string
	// Err is what went wrong on the server, for a status from 500 on. Its text may
	// hold values, and is for logs alone.
	Err error
}

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
func (a *API) observed(c *Call, r *http.Request) {
	for i, each := range a.config.Observers {
		p := a.spared(c, each, func() {
			ctx := each.Begin(c.Context, r)
			if ctx == nil {
				panic("Begin returned no context")
			}
			c.Context = ctx
		})
		if problem.IsAbort(p) {
			panic(p)
		}
		if p != nil {
			c.observation.unfit = append(c.observation.unfit, i)
		}
		c.observation.begun++
	}
}

// spared runs what an observer does, and returns what it panicked of, nil for
// nothing. The log is told, unless that breaks the connection off.
func (a *API) spared(c *Call, each Observer, do func()) (p any) {
	defer func() {
		if p = recover(); p != nil && !problem.IsAbort(p) {
			a.config.Log.ErrorContext(c, "an observer panicked; the request goes on without it",
				"id", c.ID.String(), "observer", fmt.Sprintf("%T", each), "error", problem.Panicked(p).Error())
		}
	}()
	do()
	return nil
}

// settled tells observers of a request that did not come to its line in the
// log: a page of error codes, or a connection that was broken off.
func (a *API) settled(c *Call, r *http.Request) {
	if !c.observation.over {
		c.gone = c.observation.status == 0 && c.hungUp()
		o := a.outcome(c, r, c.observation.status, nil)
		a.ended(c, r, &o, nil)
	}
}

// over tells observers and the log what came of a request.
func (a *API) over(c *Call, r *http.Request, status int, err error) {
	o := a.outcome(c, r, status, err)
	var more []slog.Attr
	if c.observation != nil {
		more = a.ended(c, r, &o, err)
	}
	a.logged(c, r, &o, more)
}

// statusGone is what the log says where the client did not wait: nothing that
// went wrong here.
const statusGone = 499

// hungUp reports whether the client closed its connection.
func (c *Call) hungUp() bool { return errors.Is(context.Cause(c), context.Canceled) }

// outcome is what is known of a request that is over, whether it has observers
// or not.
func (a *API) outcome(c *Call, r *http.Request, status int, err error) Outcome {
	o := Outcome{
		ID: c.ID, Method: logMethod(r.Method), Path: c.path, ViewSet: c.Route.ViewSet, Secure: c.Secure,
		Status: status, Duration: time.Since(c.began),
	}
	if r.Method != http.MethodHead { // whose body is not sent
		o.Bytes = c.written
	}
	if c.gone {
		o.Status = statusGone
	} else if status >= http.StatusInternalServerError {
		o.Err = err
	}
	return o
}

// ended completes an outcome and hands it to the observers.
func (a *API) ended(c *Call, r *http.Request, o *Outcome, err error) []slog.Attr {
	c.observation.over = true
	if slices.Contains(naming.KnownMethods, r.Method) { // else the name may be the method's
		o.Name = c.Route.Name
	}
	if r.Method != http.MethodHead {
		o.Bytes = c.observation.bytes
	}
	if err != nil && o.Status != statusGone {
		o.Code = a.codeOf(err)
	}
	return a.toldEnd(c, *o)
}

// toldEnd tells the end of a request to those who were told of its beginning:
// to all of them, also if one breaks the connection off.
func (a *API) toldEnd(c *Call, o Outcome) (more []slog.Attr) {
	var abort any
	for i, each := range a.config.Observers[:c.observation.begun] {
		if slices.Contains(c.observation.unfit, i) {
			continue
		}
		p := a.spared(c, each, func() { more = append(more, each.End(c.Context, o)...) })
		if problem.IsAbort(p) {
			abort = p
		}
	}
	if abort != nil {
		panic(abort)
	}
	return more
}

// codeOf is the code of a refusal, if it is one of those that are listed.
func (a *API) codeOf(err error) string {
	code := asError(err).Code
	if _, declared := a.codes[code]; declared {
		return code
	}
	return "undeclared"
}

// logged writes the one line of a request: also the client's address, the route as
// it is declared and the size of the answer's body. It holds no query and no body:
// they may carry what a log must not keep.
func (a *API) logged(c *Call, r *http.Request, o *Outcome, more []slog.Attr) {
	level := slog.LevelInfo
	switch {
	case c.refusing || a.shed(c, o.Err): // there may be many such requests
		level = slog.LevelDebug
	case o.Err != nil:
		level = a.severity(o.Err)
	case a.config.Slow > 0 && o.Duration >= a.config.Slow:
		level = slog.LevelWarn
	}
	if !a.config.Log.Enabled(c, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("id", c.ID.String()), slog.String("method", o.Method), slog.String("path", naming.Legible(r.URL.Path)),
		slog.Int("status", o.Status), slog.Int64("bytes", o.Bytes), slog.Duration("took", o.Duration),
	}
	if o.Path != "" {
		attrs = append(attrs, slog.String("route", o.Path))
	}
	if c.Address.IsValid() {
		attrs = append(attrs, slog.String("address", c.Address.String()))
	}
	if !c.Caller.Anonymous() {
		attrs = append(attrs, slog.String("caller", c.Caller.ID.String()))
	}
	if theirs := r.Header.Get(problem.HeaderRequestID); theirs != "" {
		attrs = append(attrs, slog.String("client_id", naming.Legible(theirs[:min(len(theirs), 128)])))
	}
	if o.Err != nil {
		attrs = append(attrs, slog.String("error", o.Err.Error()))
	}
	a.config.Log.LogAttrs(c, level, "request", append(attrs, more...)...)
}

// logMethod keeps out of the log what a client made up, which may be a secret
// in the wrong place.
func logMethod(method string) string {
	if slices.Contains(naming.KnownMethods, method) {
		return method
	}
	return "OTHER"
}
