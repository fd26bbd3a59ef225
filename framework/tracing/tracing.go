package tracing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"trestle.example/framework"
)

// Options state where spans are sent, and which ones. Only Endpoint is required.
type Options struct {
	// Endpoint is the address of the collector, "http://localhost:4318/v1/traces". If it
	// has no path, that path is added.
	Endpoint string
	// Service is service.name. Defaults to OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES,
	// and else to DefaultService.
	Service string
	// DefaultService is service.name if neither Service nor the environment has one.
	// Defaults to "trestle".
	DefaultService string
	// Version is service.version. Defaults to that of OTEL_RESOURCE_ATTRIBUTES, if it has one.
	Version string
	// Sampler states which traces are kept: always_on, always_off, traceidratio, or
	// parentbased_ and one of these. Defaults to parentbased_always_on.
	Sampler string
	// SamplerArg is the ratio for traceidratio, from 0 to 1. Defaults to 1. Other samplers
	// ignore it.
	SamplerArg string
	// TrustedProxies are the networks whose header traceparent decides whether the trace
	// is kept. Defaults to none.
	TrustedProxies []netip.Prefix
	// Client sends the spans. Defaults to a client with a timeout of ten seconds, which
	// uses the proxies of the environment.
	Client *http.Client
	// Log receives a line, at most once a minute, if spans could not be sent. Spans that a
	// full buffer drops are not logged. Defaults to slog.Default.
	Log *slog.Logger
}

// A Tracing makes spans and sends them from its own goroutine, so that no request waits.
// If its buffer is full, it drops spans. It is a [framework.Observer] for an API, and
// safe for concurrent use.
type Tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	sender   *sender
	client   *http.Client
	trusted  []netip.Prefix
}

const (
	scope = "trestle.example/framework/tracing"
	// sendTime is how long a request of the default client to the collector may take.
	sendTime = 10 * time.Second
	// flushTime is how long Close sends the remaining spans at most.
	flushTime = 2 * time.Second
)

// Start begins to trace. It does not connect yet. For an invalid option it returns an
// error that states what would be valid. The end of ctx does not stop it; [Tracing.Close]
// does.
func Start(ctx context.Context, o Options) (*Tracing, error) {
	if err := CheckEndpoint(o.Endpoint); err != nil {
		return nil, fmt.Errorf("tracing: Endpoint: %w", err)
	}
	sampler, err := samplerOf(o.Sampler, o.SamplerArg)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	about, err := o.serviceResource(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: the attributes of the service cannot be determined: %w", err)
	}
	client := o.Client
	if client == nil {
		transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
		client = &http.Client{Transport: transport, Timeout: sendTime}
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(o.Endpoint), otlptracehttp.WithHTTPClient(client))
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	log := o.Log
	if log == nil {
		log = slog.Default()
	}
	t := &Tracing{sender: newSender(exporter, log), client: client, trusted: o.TrustedProxies}
	t.provider = sdktrace.NewTracerProvider(
		sdktrace.WithSampler(newRequestSampler(sampler)), sdktrace.WithResource(about),
		sdktrace.WithSpanProcessor(sdktrace.NewBatchSpanProcessor(t.sender)),
	)
	t.tracer = t.provider.Tracer(scope)
	return t, nil
}

// serviceResource returns the attributes of the service, which all spans have. Later options
// override earlier ones.
func (o Options) serviceResource(ctx context.Context) (*resource.Resource, error) {
	options := []resource.Option{
		resource.WithAttributes(attribute.String("service.name", cmp.Or(o.DefaultService, "trestle"))),
		resource.WithTelemetrySDK(), resource.WithFromEnv(),
	}
	if o.Service != "" {
		options = append(options, resource.WithAttributes(attribute.String("service.name", o.Service)))
	}
	if o.Version != "" {
		options = append(options, resource.WithAttributes(attribute.String("service.version", o.Version)))
	}
	return resource.New(ctx, options...)
}

// Close sends the remaining spans, for at most two seconds, and stops everything that Start
// began. It returns an error if that time did not suffice. If the collector does not take
// spans, Close returns no error for that; see Options.Log. Close also closes the idle connections of
// [Options].Client. Close the server first. A second call does nothing.
func (t *Tracing) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	t.sender.giveUp()
	t.client.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("tracing: the last spans could not be sent within %s: %w", flushTime, err)
	}
	return nil
}

// Inject adds the trace of ctx to the headers of a request to another service, as
// traceparent, so that the service can continue it. If ctx has no span, it adds nothing.
func Inject(ctx context.Context, h http.Header) {
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
}

var _ framework.Observer = (*Tracing)(nil)
