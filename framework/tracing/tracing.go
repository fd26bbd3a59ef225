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

// Options say where spans go and which. Only Endpoint is required.
type Options struct {
	// Endpoint is where spans are sent, "http://localhost:4318/v1/traces"; that path
	// is added where there is none.
	Endpoint string
	// Service is service.name. Defaults to what OTEL_SERVICE_NAME or
	// OTEL_RESOURCE_ATTRIBUTES say, and else to DefaultService.
	Service string
	// DefaultService is service.name if neither Service nor the environment has one.
	// Defaults to "trestle".
	DefaultService string
	// Version is service.version. Defaults to none.
	Version string
	// Sampler says which traces are kept: always_on, always_off, traceidratio, or
	// parentbased_ and one of these. Defaults to parentbased_always_on.
	Sampler string
	// SamplerArg is the ratio for traceidratio, from 0 to 1. Defaults to 1.
	SamplerArg string
	// TrustedProxies are the networks whose traceparent says whether the trace is
	// kept. Defaults to none.
	TrustedProxies []netip.Prefix
	// Client sends the spans. Defaults to one of its own, with a limit of ten
	// seconds, which takes proxies from the environment.
	Client *http.Client
	// Log hears, once a minute at most, that spans are lost. Defaults to
	// slog.Default.
	Log *slog.Logger
}

// A Tracing makes spans and sends them, from a goroutine of its own that no request
// waits for: what there is no room for is dropped. It is the
// [framework.Observer] that an API is given, and safe for concurrent use.
type Tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	sender   *sender
	client   *http.Client
	trusted  []netip.Prefix
}

const (
	scope = "trestle.example/framework/tracing"
	// sendTime is how long one request to the collector may take.
	sendTime = 10 * time.Second
	// flushTime is how long Close sends what is left.
	flushTime = 2 * time.Second
)

// Start begins to trace. It connects to nothing yet. An option that cannot be
// used is an error that says what would be right. The end of ctx does not end it;
// [Tracing.Close] does.
func Start(ctx context.Context, o Options) (*Tracing, error) {
	if err := CheckEndpoint(o.Endpoint); err != nil {
		return nil, fmt.Errorf("tracing: Endpoint: %w", err)
	}
	sampler, err := samplerOf(o.Sampler, o.SamplerArg)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	about, err := o.about(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: what the service is cannot be told: %w", err)
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
		sdktrace.WithSampler(newOurOwn(sampler)), sdktrace.WithResource(about),
		sdktrace.WithSpanProcessor(sdktrace.NewBatchSpanProcessor(t.sender)),
	)
	t.tracer = t.provider.Tracer(scope)
	return t, nil
}

// about is what is told of the service with all of its spans. What comes later
// goes before.
func (o Options) about(ctx context.Context) (*resource.Resource, error) {
	told := []resource.Option{
		resource.WithAttributes(attribute.String("service.name", cmp.Or(o.DefaultService, "trestle"))),
		resource.WithTelemetrySDK(), resource.WithFromEnv(),
	}
	if o.Service != "" {
		told = append(told, resource.WithAttributes(attribute.String("service.name", o.Service)))
	}
	if o.Version != "" {
		told = append(told, resource.WithAttributes(attribute.String("service.version", o.Version)))
	}
	return resource.New(ctx, told...)
}

// Close sends the spans that are left, for two seconds at most, and ends
// everything that Start began. It returns an error if some were given up. Close
// the server before. Closing twice is harmless.
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

// Inject puts the trace of ctx into the headers of a request to another service,
// as traceparent, so that it may go on there. A ctx without a span adds nothing.
func Inject(ctx context.Context, h http.Header) {
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
}

var _ framework.Observer = (*Tracing)(nil)
