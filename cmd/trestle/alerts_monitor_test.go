package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"trestle.example/internal/testserver/tool"
)

// A monitor is a real Prometheus with the rules of deploy/alerts.yaml, at short
// intervals.
type monitor struct {
	t       *testing.T
	address string
	targets string // the file that names the servers
}

// quickRules is deploy/alerts.yaml with the substitution that the file documents.
func quickRules(t *testing.T) string {
	t.Helper()
	text := project(t, "deploy/alerts.yaml")
	for pattern, quick := range map[string]string{`(?m)^(\s+for:) \w+$`: "$1 5s", `\[\d+m\]`: "[20s]", `offset \d+m`: "offset 20s"} {
		found := regexp.MustCompile(pattern)
		if !found.MatchString(text) {
			t.Fatalf("deploy/alerts.yaml has nothing like %s", pattern)
		}
		text = found.ReplaceAllString(text, quick)
	}
	return text
}

// startMonitor starts Prometheus, which watches servers.
func startMonitor(t *testing.T, dice *rand.Rand, servers ...string) *monitor {
	t.Helper()
	program, err := tool.Prometheus.Path()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	m := &monitor{t: t, address: freeAddress(t, dice), targets: filepath.Join(folder, "targets.json")}
	m.watch(servers...)
	putFile(t, filepath.Join(folder, "trestle.yaml"), quickRules(t))
	config := filepath.Join(folder, "prometheus.yml")
	putFile(t, config, `
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 500ms}
rule_files: [trestle.yaml]
scrape_configs:
  - job_name: trestle
    file_sd_configs: [{files: [targets.json], refresh_interval: 1s}]
`)
	cmd, said := exec.Command(program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+m.address), newLogged()
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("Prometheus said: %s", said)
		}
	})
	untilSo(t, "Prometheus is ready", func() bool { return healthOf(m.address, "/-/ready") == http.StatusOK })
	return m
}

// watch changes the servers that are scraped.
func (m *monitor) watch(servers ...string) {
	m.t.Helper()
	text, err := json.Marshal([]map[string][]string{{"targets": servers}})
	if err != nil {
		m.t.Fatal(err)
	}
	putFile(m.t, m.targets, string(text))
}

// ask returns the data of an answer of Prometheus.
func (m *monitor) ask(path string, into any) {
	m.t.Helper()
	status, body := plainRequest(m.t, "GET", "http://"+m.address+path)
	answer := struct{ Data any }{into}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusOK {
		m.t.Fatalf("Prometheus answers %s with %d, %v: %s", path, status, err, body)
	}
}

// firing are the names of the alerts that fire, sorted.
func (m *monitor) firing() (names []string) {
	m.t.Helper()
	var all struct {
		Alerts []struct {
			State  string
			Labels map[string]string
		}
	}
	m.ask("/api/v1/alerts", &all)
	for _, a := range all.Alerts {
		if a.State == "firing" {
			names = append(names, a.Labels["alertname"])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// value is the first value of a query, "" if there is none.
func (m *monitor) value(query string) string {
	m.t.Helper()
	var found struct {
		Result []struct{ Value [2]any }
	}
	m.ask("/api/v1/query?query="+url.QueryEscape(query), &found)
	if len(found.Result) == 0 {
		return ""
	}
	return fmt.Sprint(found.Result[0].Value[1])
}

// mostWatched is how long an alert may take to fire or to end under the quick rules.
const mostWatched = 3 * time.Minute

// until waits until the alerts that fire are as they should be.
func (m *monitor) until(what string, so func(firing []string) bool) {
	m.t.Helper()
	limit, tick := time.After(mostWatched), time.NewTicker(250*time.Millisecond)
	defer tick.Stop()
	for {
		firing := m.firing()
		if so(firing) {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			m.t.Fatalf("after %s it is still not so that %s; firing: %s", mostWatched, what, strings.Join(firing, ", "))
		}
	}
}
