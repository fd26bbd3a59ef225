package metrics_test

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/metrics"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

var boards = sqldb.Migrations{Namespace: "boards", FS: fstest.MapFS{
	"3_pins.tx.up.sql": {Data: []byte("CREATE TABLE pins (id int);")}, "3_pins.tx.down.sql": {Data: []byte("DROP TABLE pins;")},
	"12_tags.tx.up.sql": {Data: []byte("CREATE TABLE tags (id int);")}, "12_tags.tx.down.sql": {Data: []byte("DROP TABLE tags;")},
}}

// TestSources: the parts around the API are measured, with the values at the moment of
// the scrape.
func TestSources(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		b := newBoard(t, db)
		server := httpserver.New(b.handler, httpserver.Options{Limits: httpserver.Limits{Conns: 17}, Log: slog.New(slog.DiscardHandler)})
		var degraded atomic.Bool
		expires := time.Unix(2_000_000_000, 0)
		sources := metrics.Sources{
			Server: server, RequestTimeout: 30 * time.Second, RedisDegraded: degraded.Load,
			CertificateExpires: func() time.Time { return expires }, Schema: db, Migrations: []sqldb.Migrations{boards}, History: db,
		}
		if err := b.metrics.Add(sources); err != nil {
			t.Fatal(err)
		}
		if err := b.metrics.Add(sources); err == nil {
			t.Error("they are added twice")
		}
		b.has(t, map[string]float64{
			"http_connections_open": 0, "http_connections_limit": 17, "http_connections_evicted_total": 0, "http2_requests_rejected_total": 0,
			"http_request_timeout_seconds": 30, "redis_degraded": 0, "tls_certificate_not_after_timestamp_seconds": 2_000_000_000,
			"db_migrations_pending": 2, "db_connections_limit": float64(db.Limits().Conns), "db_queue_timeout_seconds": db.Limits().QueueTimeout.Seconds(), "db_statement_timeout_seconds": 10,
		})
		if age, there := b.scraped(t)["history_held_back_seconds"]; !there || age < 0 || db.Kind() == sqldb.SQLite && age != 0 { // other tests write to the server
			t.Errorf("readers of the history are held back by %v s, present: %v", age, there)
		}
		if _, there := b.scraped(t)[`db_schema_version{namespace="boards"}`]; there {
			t.Error("a schema that was never migrated has a version")
		}
		if err := db.Migrate(t.Context(), nil, boards); err != nil {
			t.Fatal(err)
		}
		degraded.Store(true)
		b.has(t, map[string]float64{"redis_degraded": 1, "db_migrations_pending": 0, `db_schema_version{namespace="boards"}`: 12})
		b.connects(t, server)
		b.documented(t)
		problems, err := promlint.New(strings.NewReader(b.page(t))).Lint()
		for _, p := range problems {
			if !strings.HasPrefix(p.Metric, "go_") && !strings.HasPrefix(p.Metric, "process_") {
				t.Errorf("%s: %s", p.Metric, p.Text)
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// connects opens a connection to a server and checks the metrics.
func (b *board) connects(t *testing.T, server *httpserver.Server) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	c, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); b.scraped(t)["http_connections_open"] != 1; <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("with one connection the metrics are\n%s", b.page(t))
		}
	}
	_ = c.Close()
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// has checks metrics by their names.
func (b *board) has(t *testing.T, want map[string]float64) {
	t.Helper()
	got := b.scraped(t)
	for name, value := range want {
		if is, there := got[name]; !there || is != value {
			t.Errorf("%s is %v, present: %t; want %v", name, is, there, value)
		}
	}
}

// TestReplica: how far the replica is behind, and its pool.
func TestReplica(t *testing.T) {
	cluster, standby := postgres.Replicated(t)
	db, err := sqldb.Open(cluster.URL(), sqldb.Options{MaxConns: 3, Replica: standby.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	b := newBoard(t, db)
	awaits := func(what string, is func(got map[string]float64) bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !is(b.scraped(t)); <-time.After(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the metrics are\n%s", what, b.page(t))
			}
		}
	}
	awaits("reads go to the replica", func(got map[string]float64) bool {
		lag, known := got["db_replica_lag_bytes"]
		_, open := got["db_replica_connections_open"]
		_, held := got["db_replica_connections_held"]
		_, waiting := got["db_replica_connections_waiting"]
		return got["db_replica_used"] == 1 && known && lag == 0 && open && held && waiting
	})
	b.documented(t)
	if err := standby.Pause(); err != nil {
		t.Fatal(err)
	}
	b.Post("/api/notes/", `{"text": "a"}`).Expect(201)
	awaits("the replica is behind", func(got map[string]float64) bool { return got["db_replica_lag_bytes"] > 0 })
	if err := standby.Continue(); err != nil {
		t.Fatal(err)
	}
	if err := standby.Halt(); err != nil {
		t.Fatal(err)
	}
	b.Get("/api/notes/").Expect(200)
	awaits("the replica is down", func(got map[string]float64) bool {
		_, known := got["db_replica_lag_bytes"]
		return !known && got["db_replica_used"] == 0
	})
	if err := standby.Resume(); err != nil {
		t.Fatal(err)
	}
}
