package tracing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// CheckEndpoint returns an error if the address of a collector is invalid. The error does
// not repeat the address.
func CheckEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("it must be a URL that begins with http:// or https:// and a host, such as http://localhost:4318")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("it must not contain a user, a query or a fragment; credentials belong in OTEL_EXPORTER_OTLP_HEADERS")
	}
	return nil
}

// CheckSampler returns an error if the name of a sampler is invalid, or if the sampler is
// traceidratio, also with the prefix parentbased_, and its argument is invalid. Names may be in
// upper or lower case. Empty values are the defaults.
func CheckSampler(name, arg string) error {
	_, err := samplerOf(name, arg)
	return err
}

// samplers are the names of the OpenTelemetry specification.
var samplers = []string{"always_on", "always_off", "traceidratio"}

const parentBased = "parentbased_"

func samplerOf(name, arg string) (sdktrace.Sampler, error) {
	if name == "" {
		name = parentBased + samplers[0]
	}
	own, follows := strings.CutPrefix(strings.ToLower(name), parentBased)
	if !slices.Contains(samplers, own) {
		return nil, fmt.Errorf("%.40q is not a sampler; the samplers are %s, each also with the prefix %s", name, strings.Join(samplers, ", "), parentBased)
	}
	ratio, err := ratioOf(arg)
	if err != nil && own == "traceidratio" {
		return nil, err
	}
	sampler := map[string]sdktrace.Sampler{
		"always_on": sdktrace.AlwaysSample(), "always_off": sdktrace.NeverSample(), "traceidratio": sdktrace.TraceIDRatioBased(ratio),
	}[own]
	if follows {
		sampler = sdktrace.ParentBased(sampler)
	}
	return sampler, nil
}

func ratioOf(arg string) (float64, error) {
	if arg == "" {
		return 1, nil
	}
	ratio, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(ratio >= 0 && ratio <= 1) { // NaN is out of the range too
		return 0, fmt.Errorf("the ratio of traces to keep is %.40q; it must be a number from 0 to 1", arg)
	}
	return ratio, nil
}

// untrustedKey marks the context of a request with a traceparent from an untrusted client.
type untrustedKey struct{}

// A requestSampler decides about requests; spans below a request follow its decision.
// For a trace from an untrusted client it decides as if the trace began here. It uses a
// random number of its own, because the client chose the id of the trace.
type requestSampler struct {
	sdktrace.Sampler

	below sdktrace.Sampler
}

func newRequestSampler(s sdktrace.Sampler) requestSampler {
	return requestSampler{s, sdktrace.ParentBased(s)}
}

// ShouldSample implements [sdktrace.Sampler].
func (s requestSampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	parent := trace.SpanContextFromContext(p.ParentContext)
	switch {
	case parent.IsValid() && !parent.IsRemote():
		return s.below.ShouldSample(p)
	case parent.IsValid() && p.ParentContext.Value(untrustedKey{}) != nil:
		p.ParentContext = trace.ContextWithSpanContext(p.ParentContext, trace.SpanContext{})
		binary.BigEndian.PutUint64(p.TraceID[8:], rand.Uint64()) // a ratio sampler reads these bytes
	}
	return s.Sampler.ShouldSample(p)
}
