package config

import (
	"testing"
)

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
