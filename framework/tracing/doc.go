// Package tracing tells a collector, by OTLP over HTTP, what each request to an
// API did: a span for the request and one for each of its statements.
//
//	t, err := tracing.Start(ctx, tracing.Options{Endpoint: "http://localhost:4318/v1/traces"})
//	defer t.Close()
//	t.Watch(db)
//	api := framework.New(framework.Config{DB: db, Observers: []framework.Observer{t}, ...})
//
// A request's span is named by its method and route, "GET /api/patients/{id}/", and
// has the attributes http.request.method, http.route,
// http.response.status_code, http.response.body.size, url.scheme,
// trestle.request_id (the id of the answer's X-Request-Id and of the log's
// line), trestle.action ("patients.retrieve") and, of a refusal, trestle.code. From
// status 500 on it is an error, of the type error.type. A statement's span is named
// by its operation and has db.system.name, db.operation.name, error.type if it
// failed, and db.query.text where that is sure to hold no value. The
// line of a request in the log has trace_id.
//
// # What is in no span
//
// No path as it was sent, no query, no header, no body, no address, no user, no
// value of a statement, and no text of an error, which might repeat one. A text
// of a statement is told where its values were sent beside it, with ? in the place
// of every other number and text; the text of others is left out, as are all with
// sqldb.Options.NoPrepare.
//
// # Whose trace it is
//
// A request goes on with the trace that its header traceparent names (W3C Trace
// Context). Whether that trace is kept is decided by the sampler, which by
// default follows its parent. But only a proxy that is trusted speaks for the
// parent: a stranger could otherwise have every request of theirs kept, or none.
// What comes from a stranger is decided about as if it began here. Nothing else is
// taken from the header, nor any tracestate of a stranger's.
//
// A statement that several requests share, see sqldb.Session.Read, is in the trace of
// one of them. Reading rows after the first is no part of a statement's span.
//
// # Other variables
//
// What [Options] do not say is as OpenTelemetry's own variables say, if they are
// set: OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_HEADERS,
// OTEL_EXPORTER_OTLP_COMPRESSION, OTEL_BSP_SCHEDULE_DELAY and others of OTEL_BSP
// and OTEL_SPAN.
package tracing
