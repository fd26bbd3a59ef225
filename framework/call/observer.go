package call

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// An Observer is called for each request, for metrics, traces and the like. It must be fast
// and safe for concurrent use. If it panics, the request goes on without the observer, and
// the log has the stack; only a panic with [http.ErrAbortHandler] closes the connection.
// Packages metrics and tracing have one each.
type Observer interface {
	// Begin is called when a request arrives, before the framework reads it. All work for
	// the request, its statements included, uses the returned context: ctx or a context
	// derived from it. If Begin panics or returns nil, End is not called.
	Begin(ctx context.Context, r *http.Request) context.Context
	// End is called once when the request is over, with the context that the last Begin
	// returned. Its attributes are added to the request's line in the log.
	End(ctx context.Context, o Outcome) []slog.Attr
}

// An Outcome is the result of a request. Method, Path, ViewSet, Name, Status and Code have
// few values each, which makes them fit for labels. Only Err may contain text of the
// client.
type Outcome struct {
	// ID is the request's id in the response, the log and the error.
	ID uuid.UUID
	// Method is a method of HTTP, or "OTHER" for any other word.
	Method string
	// Path is the route, as in RouteInfo.Path of package framework: "/api/patients/{id}/".
	// It is empty if no route has the path, or if the request was rejected before routing.
	Path string
	// ViewSet and Name are the viewset and the verb or action, as in [Route]. They are
	// empty if the request reached none.
	ViewSet, Name string
	// Secure is true if the request came by TLS, as in [Call.Secure].
	Secure bool
	// Status is the status of the answer. It is 499 if the client did not wait for the
	// answer, and 0 if the connection broke before there was one.
	Status int
	// Bytes is the length of the answer's body, before the API compresses it.
	Bytes int64
	// Duration is the time from the request's arrival to the end of its answer.
	Duration time.Duration
	// Code is the code of an error, or "undeclared" if neither the framework nor the API
	// declares it. It is empty without an error, and for the status 499.
	Code string
	// Err is the cause of a status from 500 on. Its text may contain values, so it is for
	// logs only.
	Err error
}
