package config

import (
	"testing"
)

func TestAddressesOfTheMetrics(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		api, metrics string
		accepted     bool
	}{
		"the same":                            {"127.0.0.1:8080", "127.0.0.1:8080", false},
		"the same port of every network":      {"127.0.0.1:8080", ":8080", false},
		"the same port, the API on all":       {":8080", "127.0.0.1:8080", false},
		"another port of every network":       {"127.0.0.1:8080", ":9464", true},
		"the same port of another host":       {"10.0.0.5:8080", "127.0.0.1:8080", true},
		"any free ports":                      {"127.0.0.1:0", "127.0.0.1:0", true},
		"any free port of every network, too": {"127.0.0.1:0", ":0", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := configOf(t, nil, "TRESTLE_ADDR="+test.api, "TRESTLE_METRICS_ADDR="+test.metrics)
			if (err == nil) != test.accepted {
				t.Errorf("%v; want accepted: %t", err, test.accepted)
			}
		})
	}
}

func TestCollectors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ all, traces, want string }{
		"none":                      {"", "", ""},
		"for all":                   {"http://c:4318", "", "http://c:4318/v1/traces"},
		"for all, with a slash":     {"http://c:4318/", "", "http://c:4318/v1/traces"},
		"for all, with a path":      {"https://c/otlp", "", "https://c/otlp/v1/traces"},
		"for traces":                {"", "http://c:4318/spans", "http://c:4318/spans"},
		"for traces, before others": {"http://a", "http://c/v1/traces", "http://c/v1/traces"},
		"for traces, without path":  {"", "http://c:4318", "http://c:4318/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := configOf(t, nil, "OTEL_EXPORTER_OTLP_ENDPOINT="+test.all, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="+test.traces)
			if got := c.Collector(); err != nil || got != test.want {
				t.Errorf("%s, %v; want %s", got, err, test.want)
			}
		})
	}
}
