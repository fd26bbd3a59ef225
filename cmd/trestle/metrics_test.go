package main

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"trestle.example/internal/testserver/postgres"
	"trestle.example/internal/testserver/redis"
	"trestle.example/internal/testserver/selfsigned"
)

// always are the metrics of every server that has served a request.
var always = []string{
	"http_requests_total", "http_request_duration_seconds", "http_requests_in_flight", "http_connections_open", "http_connections_limit",
	"http_connections_evicted_total", "http2_requests_rejected_total", "http_request_timeout_seconds", "db_statement_duration_seconds",
	"db_connections_held", "db_connections_waiting", "db_connections_limit", "db_waits_shed_total", "db_queue_timeout_seconds",
	"db_statement_timeout_seconds", "db_schema_version", "db_migrations_pending", "redis_degraded", "tls_certificate_not_after_timestamp_seconds",
	"go_build_info", "go_goroutines", "process_open_fds",
}

// TestRedisThatDoesNotAnswerIsMeasured, also before a request has needed it.
func TestRedisThatDoesNotAnswerIsMeasured(t *testing.T) {
	t.Parallel()
	s := newRig(t, sqliteURL(t)).start(t, freePort, "REDIS_URL=redis://127.0.0.1:1")
	if _, page := plainRequest(t, "GET", s.metricsBase()+"/metrics"); !strings.Contains(page, "\nredis_degraded 1\n") {
		t.Error("redis_degraded is not 1")
	}
}

// TestMetricsOfALiveServer: a server with a certificate, Redis and perhaps a replica
// measures all of it.
func TestMetricsOfALiveServer(t *testing.T) {
	t.Parallel()
	cluster, standby := postgres.Replicated(t)
	for name, c := range map[string]struct {
		database string
		env      []string
		more     []string
	}{
		"SQLite": {sqliteURL(t), nil, nil},
		"PostgreSQL with a replica": {cluster.URL(), []string{replicaVariable + "=" + standby.URL()}, []string{
			"db_replica_used", "db_replica_lag_bytes", "db_replica_connections_open", "db_replica_connections_held", "db_replica_connections_waiting",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			env := append(selfsigned.NewFiles(t).Env(), freePort, "REDIS_URL="+redis.Server(t))
			s := newRig(t, c.database).start(t, append(env, c.env...)...)
			served, err := (&http.Client{Transport: &http.Transport{
				DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
			}, Timeout: waitLimit}).Get(s.base + "/api/products/canary-of-a-client")
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, served.Body)
			_ = served.Body.Close()
			page := ""
			for end := time.Now().Add(waitLimit); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
				_, page = plainRequest(t, "GET", s.metricsBase()+"/metrics")
				if c.more == nil || strings.Contains(page, "# TYPE db_replica_lag_bytes ") { // the replica is reached beside requests
					break
				}
			}
			for _, metric := range append(always, c.more...) {
				if !strings.Contains(page, "# TYPE "+metric+" ") {
					t.Errorf("there is no %s", metric)
				}
			}
			for _, line := range []string{
				`http_requests_total{method="GET",route="/api/products/{slug}",status="404"} 1`, "\nredis_degraded 0\n", "\ndb_migrations_pending 0\n",
				"\nhttp_connections_limit 2048\n", "\ndb_connections_limit 4\n", "\nhttp_request_timeout_seconds 15\n", `db_schema_version{namespace="auth"} `,
			} {
				if !strings.Contains(page, line) {
					t.Errorf("there is no line %q", line)
				}
			}
			if strings.Contains(page, "canary") {
				t.Error("a path of a client is a label")
			}
			if t.Failed() {
				t.Log(page)
			}
		})
	}
}
