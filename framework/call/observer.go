package call

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// An Observer is called for each request: for metrics, traces and the like. It is
// used by many requests at once and has to be fast. A panic in it fails no request:
// that is answered as if the observer were not there, and the log has the stack.
// Packages metrics and tracing have one each.
type Observer interface {
	// Begin is called when a request arrives, before anything is known of it.
	// The context that it returns, ctx or one made of it, is that of everything
	// that is done for the request, its statements among it. An observer
	// whose Begin panics, or returns nil, gets no End.
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
	// Method is a method of HTTP, "OTHER" for any other word.
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
