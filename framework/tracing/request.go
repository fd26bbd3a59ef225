package tracing

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"trestle.example/framework"
)

// Begin implements [framework.Observer]: it begins the span of a request.
func (t *Tracing) Begin(ctx context.Context, r *http.Request) context.Context {
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	if trace.SpanContextFromContext(ctx).IsRemote() && !t.trusts(r.RemoteAddr) {
		ctx = context.WithValue(ctx, untrustedKey{}, true)
	}
	ctx, _ = t.tracer.Start(ctx, "HTTP", trace.WithSpanKind(trace.SpanKindServer)) //nolint:spancheck // End names it and ends it
	return ctx
}

func (t *Tracing) trusts(peer string) bool {
	at, err := netip.ParseAddrPort(peer)
	return err == nil && slices.ContainsFunc(t.trusted, func(p netip.Prefix) bool { return p.Contains(at.Addr().Unmap()) })
}

// End implements [framework.Observer]: it ends the span and adds the id of the trace to
// the log line.
func (t *Tracing) End(ctx context.Context, o framework.Outcome) []slog.Attr {
	span := trace.SpanFromContext(ctx)
	if span.IsRecording() {
		describe(span, o)
	}
	span.End()
	if id := span.SpanContext().TraceID(); id.IsValid() { // it is invalid after Close
		return []slog.Attr{slog.String("trace_id", id.String())}
	}
	return nil
}

func describe(span trace.Span, o framework.Outcome) {
	span.SetName(nameOf(o))
	span.SetAttributes(
		attribute.String("http.request.method", methodOf(o, "_OTHER")),
		attribute.String("url.scheme", map[bool]string{true: "https", false: "http"}[o.Secure]),
		attribute.String("trestle.request_id", o.ID.String()),
		attribute.Int64("http.response.body.size", o.Bytes),
	)
	if o.Status != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", o.Status))
	}
	if o.Path != "" {
		span.SetAttributes(attribute.String("http.route", o.Path))
	}
	if o.ViewSet != "" && o.Name != "" {
		span.SetAttributes(attribute.String("trestle.action", o.ViewSet+"."+o.Name))
	}
	if o.Code != "" {
		span.SetAttributes(attribute.String("trestle.code", o.Code))
	}
	if o.Status == 0 || o.Status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attribute.String("error.type", cmp.Or(o.Code, "aborted")))
	}
}

// nameOf returns the name of the span of a request: its method and route.
func nameOf(o framework.Outcome) string {
	method := methodOf(o, "HTTP")
	if o.Path == "" {
		return method
	}
	return method + " " + o.Path
}

// methodOf returns the method of a request, or other if it is not a standard method.
func methodOf(o framework.Outcome, other string) string {
	if o.Method == "OTHER" {
		return other
	}
	return o.Method
}
