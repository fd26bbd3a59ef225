package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	lines := strings.Split(strings.TrimSpace(r.ok("routes")), "\n")
	var routes []map[string]string
	if err := json.Unmarshal([]byte(r.ok("routes --json")), &routes); err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(routes)+1 {
		t.Fatalf("%d lines for %d routes; want one each, and a heading", len(lines), len(routes))
	}
	for i, route := range routes {
		for _, key := range []string{"method", "path", "name", "permission", "scope"} {
			if route[key] == "" || !strings.Contains(lines[i+1], route[key]) {
				t.Errorf("route %v: line %q does not show its %s", route, lines[i+1], key)
			}
		}
	}
	want := `DELETE  /api/patients/{id}/`
	if !strings.Contains(strings.Join(lines, "\n"), want) {
		t.Errorf("no line holds %q", want)
	}
}
