package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"trestle.example/internal/testserver/selfsigned"
	"trestle.example/internal/testserver/tool"
)

// expressions are those of the alerts and of the dashboard.
func expressions(t *testing.T) (all []string) {
	t.Helper()
	var rules struct {
		Groups []struct{ Rules []struct{ Expr string } }
	}
	if err := yaml.Unmarshal([]byte(project(t, "deploy/alerts.yaml")), &rules); err != nil {
		t.Fatal(err)
	}
	for _, r := range rules.Groups[0].Rules {
		all = append(all, r.Expr)
	}
	alerts := len(all)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(project(t, "deploy/grafana.json")), &board); err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			all = append(all, target.Expr)
		}
	}
	if alerts < 10 || len(all) < alerts+10 {
		t.Fatalf("there are %d expressions of alerts, and %d in all", alerts, len(all))
	}
	return all
}

// TestAlertsAndDashboardAsPrometheusReadsThem: promtool accepts both.
func TestAlertsAndDashboardAsPrometheusReadsThem(t *testing.T) {
	t.Parallel()
	program, err := tool.Promtool.Path()
	if err != nil {
		t.Fatal(err)
	}
	var records strings.Builder
	records.WriteString("groups:\n  - name: expressions\n    rules:\n")
	for n, e := range expressions(t) {
		e = strings.NewReplacer("$__rate_interval", "1m", "$job", "trestle", "$instance", ".*").Replace(e) // as Grafana does
		fmt.Fprintf(&records, "      - {record: expression_%d, expr: %q}\n", n, e)
	}
	file := filepath.Join(t.TempDir(), "records.yaml")
	putFile(t, file, records.String())
	for _, rules := range []string{file, filepath.Join("..", "..", "deploy", "alerts.yaml")} {
		if output, err := exec.Command(program, "check", "rules", rules).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, output)
		}
	}
}

// ourMetric is a name of a metric of the server.
var ourMetric = regexp.MustCompile(`\b(?:http2?|db|go|process|redis|tls)_[a-z0-9_]*[a-z0-9]\b`)

// TestAlertsAndDashboardNameMetricsThatExist in a scrape of servers that have seen some
// trouble: counters of errors do not exist before.
func TestAlertsAndDashboardNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	w := openWatched(t, rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)))
	withTLS := newRig(t, sqliteURL(t)).start(t, append(selfsigned.NewFiles(t).Env(), freePort)...)
	release := w.lock()
	var text string
	untilSo(t, "requests are rejected as overloaded and the replica's lag is known", func() bool {
		_, text = plainRequest(t, "GET", "http://"+w.watching+"/metrics")
		return strings.Contains(text, "http_requests_shed_total{") && strings.Contains(text, "db_statement_errors_total{") &&
			strings.Contains(text, "\ndb_replica_lag_bytes")
	})
	release()
	_, other := plainRequest(t, "GET", withTLS.metricsBase()+"/metrics")
	var there []string
	for _, line := range regexp.MustCompile(`(?m)^([a-z0-9_]+)[{ ]`).FindAllStringSubmatch(text+other, -1) {
		there = append(there, line[1])
	}
	for _, e := range append(expressions(t), project(t, "docs/how-to/monitor.md")) {
		for _, name := range ourMetric.FindAllString(e, -1) {
			if !slices.ContainsFunc(there, func(metric string) bool { return metric == name || strings.HasPrefix(metric, name+"_") }) {
				t.Errorf("%.80s names %s, which no server has", e, name)
			}
		}
	}
}
