// Package tracing sends traces of the requests to an API to a collector, by OTLP over
// HTTP: a span for each request and one for each of its statements.
//
//	t, err := tracing.Start(ctx, tracing.Options{Endpoint: "http://localhost:4318/v1/traces"})
//	defer t.Close()
//	t.Watch(db)
//	api := framework.New(framework.Config{DB: db, Observers: []framework.Observer{t}, ...})
//
// The name of the span of a request is its method and route, "GET /api/patients/{id}/".
// The span has the attributes http.request.method, http.route, http.response.status_code,
// http.response.body.size, url.scheme, trestle.request_id (the id in the header
// X-Request-Id and in the log line), trestle.action ("patients.retrieve") and, for an
// error, trestle.code. From status 500 on, and if the connection was aborted, the span is an
// error with the attribute error.type. The name of the span of a statement is its
// operation. It has db.system.name, db.operation.name, error.type if the statement failed,
// and db.query.text if that text certainly contains no value. The log line of a request has
// trace_id.
//
// # Data that no span contains
//
// A span contains no path as it was sent, no query, no header, no body, no address, no
// user and no value of a statement. It contains no error text, because that might repeat
// a value. The text of a statement is included only if its values were sent as arguments.
// Every other number and text in it is replaced by ?. With sqldb.Options.NoPrepare no
// text is included.
//
// # Parent traces
//
// A request continues the trace of its header traceparent (W3C Trace Context). The
// sampler decides whether the trace is kept. By default it follows the decision of the
// parent, but only if a trusted proxy sent the request. Otherwise any client could force
// all of its requests to be traced, or none. For a request from an untrusted client the
// sampler decides as if the trace began here. The server takes nothing else from the
// header, and ignores tracestate from an untrusted client.
//
// A statement that several requests share, see sqldb.Session.Read, is in the trace of one
// of them. The span of a statement ends with the statement; if its rows are read one by one,
// it ends with the first row.
//
// # Environment variables
//
// Settings that [Options] leaves open come from the standard variables of OpenTelemetry,
// if they are set: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_EXPORTER_OTLP_HEADERS,
// OTEL_EXPORTER_OTLP_COMPRESSION, OTEL_BSP_SCHEDULE_DELAY and other variables that begin
// with OTEL_BSP and OTEL_SPAN.
package tracing
