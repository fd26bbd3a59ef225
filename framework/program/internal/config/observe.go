package config

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"trestle.example/framework/tracing"
)

// An observeConfig configures the metrics, the traces and the slow log of a server.
type observeConfig struct {
	MetricsAddr    string        // "" for no metrics
	Slow           time.Duration // 0 if no request counts as slow
	otlpEndpoint   string        // "" for no traces, unless tracesEndpoint is set
	tracesEndpoint string
	ServiceName    string
	Sampler        string
	SamplerArg     string
}

// observeSettings returns the settings of metrics, of the slow log and of traces. The
// variables of traces are those of OpenTelemetry.
func observeSettings() []Setting {
	return []Setting{
		{
			Flag: "metrics-addr", Variable: "{PROGRAM}_METRICS_ADDR", Example: "127.0.0.1:9464", serving: true, Shown: "no metrics",
			Usage: "`host:port` at which /metrics is served for Prometheus, apart from the API; it needs no credentials, so make it unreachable for clients",
			Read:  readMetricsAddr,
		},
		{
			Flag: "slow", Variable: "{PROGRAM}_SLOW", Fallback: "1s", Example: "1s", serving: true,
			Usage: "`duration` from which on a request is a warning in the log; 0 for none",
			Read:  func(c *Config, v string) error { return readDuration(&c.Slow, v, 0, time.Hour) },
		},
		{
			Flag: "otlp-endpoint", Variable: "OTEL_EXPORTER_OTLP_ENDPOINT", serving: true, Shown: "no traces",
			Usage: "`URL` of the collector to which traces are sent by OTLP over HTTP, such as http://localhost:4318; OTEL_EXPORTER_OTLP_HEADERS has its credentials",
			Read:  func(c *Config, v string) error { return readCollector(&c.otlpEndpoint, v) },
		},
		{
			Flag: "otlp-traces-endpoint", Variable: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", serving: true, Shown: "v1/traces below --otlp-endpoint",
			Usage: "`URL` to which they are sent instead, with its path",
			Read:  func(c *Config, v string) error { return readCollector(&c.tracesEndpoint, v) },
		},
		{
			Flag: "service-name", Variable: "OTEL_SERVICE_NAME", serving: true, Shown: "{program}",
			Usage: "`name` of the service in traces",
			Read:  func(c *Config, v string) error { return readText(&c.ServiceName, v) },
		},
		{
			Flag: "traces-sampler", Variable: "OTEL_TRACES_SAMPLER", Example: "parentbased_traceidratio", serving: true, Shown: "parentbased_always_on",
			Usage: "`name` of what decides which traces are kept: always_on, always_off, traceidratio, or parentbased_ and one of these",
			Read:  readSampler,
		},
		{
			Flag: "traces-sampler-arg", Variable: "OTEL_TRACES_SAMPLER_ARG", Example: "0.1", serving: true, Shown: "1",
			Usage: "`ratio` of traces that traceidratio keeps, from 0 to 1",
			Read:  readSamplerArg,
		},
	}
}

func readMetricsAddr(c *Config, v string) error {
	if v == "" {
		return nil
	}
	if err := readAddr(&c.MetricsAddr, v); err != nil {
		return err
	}
	if isSameAddr(c.MetricsAddr, c.Addr) {
		return errors.New("the API is served there, and metrics are not for its clients; give them an address of their own")
	}
	return nil
}

// isSameAddr reports whether two addresses to listen on need the same port, other than 0, of the
// same host. An address without a host is on each host.
func isSameAddr(a, b string) bool {
	hostA, portA, _ := net.SplitHostPort(a)
	hostB, portB, _ := net.SplitHostPort(b)
	return portA == portB && portA != "0" && (hostA == hostB || hostA == "" || hostB == "")
}

// readCollector leaves the check to the package tracing.
func readCollector(to *string, v string) error {
	*to = v
	if v == "" {
		return nil
	}
	return tracing.CheckEndpoint(v)
}

func readSampler(c *Config, v string) error {
	if err := tracing.CheckSampler(v, ""); err != nil {
		return err
	}
	c.Sampler = v
	return nil
}

// readSamplerArg checks the argument of the sampler that was read before.
func readSamplerArg(c *Config, v string) error {
	c.SamplerArg = v
	return tracing.CheckSampler(c.Sampler, v)
}

// Collector returns the URL that receives traces, or "". If a URL for traces is set, it
// returns that URL, with the path / if it has no path. If only the URL for all signals is
// set, it adds the path of traces, by the standard of OpenTelemetry.
func (c observeConfig) Collector() string {
	if c.tracesEndpoint == "" {
		if c.otlpEndpoint == "" {
			return ""
		}
		return strings.TrimRight(c.otlpEndpoint, "/") + "/v1/traces"
	}
	if at, err := url.Parse(c.tracesEndpoint); err == nil && at.Path == "" {
		return c.tracesEndpoint + "/"
	}
	return c.tracesEndpoint
}
