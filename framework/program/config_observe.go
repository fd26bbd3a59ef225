package program

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"trestle.example/framework/tracing"
)

// An observeConfig says how a server is watched.
type observeConfig struct {
	metricsAddr    string        // "" for no metrics
	slow           time.Duration // 0 for no request being slow
	otlpEndpoint   string        // "" for no traces, unless the next is set
	tracesEndpoint string
	serviceName    string
	sampler        string
	samplerArg     string
}

// observeSettings matter to a server alone. Those of traces are OpenTelemetry's
// own variables.
func observeSettings() []setting {
	return []setting{
		{
			flag: "metrics-addr", variable: "{PROGRAM}_METRICS_ADDR", example: "127.0.0.1:9464", serving: true, shown: "no metrics",
			usage: "`host:port` at which /metrics is served for Prometheus, apart from the API; whoever reaches it can read it, so keep it from clients",
			read:  readMetricsAddr,
		},
		{
			flag: "slow", variable: "{PROGRAM}_SLOW", fallback: "1s", example: "1s", serving: true,
			usage: "`duration` from which on a request is a warning in the log; 0 for none",
			read:  func(c *config, v string) error { return readDuration(&c.slow, v, 0, time.Hour) },
		},
		{
			flag: "otlp-endpoint", variable: "OTEL_EXPORTER_OTLP_ENDPOINT", serving: true, shown: "no traces",
			usage: "`URL` of the collector to which traces are sent by OTLP over HTTP, such as http://localhost:4318; OTEL_EXPORTER_OTLP_HEADERS has its credentials",
			read:  func(c *config, v string) error { return readCollector(&c.otlpEndpoint, v) },
		},
		{
			flag: "otlp-traces-endpoint", variable: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", serving: true, shown: "v1/traces below --otlp-endpoint",
			usage: "`URL` to which they are sent instead, with its path",
			read:  func(c *config, v string) error { return readCollector(&c.tracesEndpoint, v) },
		},
		{
			flag: "service-name", variable: "OTEL_SERVICE_NAME", serving: true, shown: "{program}",
			usage: "`name` of the service in traces",
			read:  func(c *config, v string) error { return readText(&c.serviceName, v) },
		},
		{
			flag: "traces-sampler", variable: "OTEL_TRACES_SAMPLER", example: "parentbased_traceidratio", serving: true, shown: "parentbased_always_on",
			usage: "`name` of what decides which traces are kept: always_on, always_off, traceidratio, or parentbased_ and one of these",
			read:  readSampler,
		},
		{
			flag: "traces-sampler-arg", variable: "OTEL_TRACES_SAMPLER_ARG", example: "0.1", serving: true, shown: "1",
			usage: "`ratio` of traces that traceidratio keeps, from 0 to 1",
			read:  readSamplerArg,
		},
	}
}

func readMetricsAddr(c *config, v string) error {
	if v == "" {
		return nil
	}
	if err := readAddr(&c.metricsAddr, v); err != nil {
		return err
	}
	if c.metricsAddr == c.addr && !strings.HasSuffix(c.addr, ":0") {
		return errors.New("the API is served there, and metrics are not for its clients; give them an address of their own")
	}
	return nil
}

// readCollector leaves the check to the package that sends.
func readCollector(to *string, v string) error {
	*to = v
	if v == "" {
		return nil
	}
	return tracing.CheckEndpoint(v)
}

func readSampler(c *config, v string) error {
	c.sampler = v
	return tracing.CheckSampler(v, "")
}

// readSamplerArg comes after the sampler, which may not look at it.
func readSamplerArg(c *config, v string) error {
	c.samplerArg = v
	return tracing.CheckSampler(c.sampler, v)
}

// collector is where traces are sent, "" for none. As the standard has it, the
// address for all signals is one below which each has its own, and the one for
// traces is taken as it is.
func (c observeConfig) collector() string {
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
