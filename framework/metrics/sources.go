package metrics

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"trestle.example/framework"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/sqldb"
)

// Sources are the parts of a server beside its API and its database. A zero field adds no
// metrics. All functions must be safe for concurrent use and fast.
type Sources struct {
	// Server serves the API.
	Server *httpserver.Server
	// RequestTimeout is the time limit of a request, see framework.Config.Timeout.
	RequestTimeout time.Duration
	// RedisDegraded reports whether Redis does not answer now, so that each process
	// counts rates by itself.
	RedisDegraded func() bool
	// CertificateExpires returns when the certificate of the server expires.
	CertificateExpires func() time.Time
	// Schema is the database whose migrations are compared with Migrations at each
	// scrape. Use another DB than the API, so that a scrape takes no connection from it.
	Schema     *sqldb.DB
	Migrations []sqldb.Migrations
	// History is the database of an API that records changes, see framework.History. Use another DB than the API, as for
	// Schema.
	History *sqldb.DB
}

// Add adds the metrics of sources. If a metric was added before, it returns an error; the
// metrics that it added before that one stay.
func (m *Metrics) Add(s Sources) error {
	var all []prometheus.Collector
	if s.Server != nil {
		all = append(all, serverMetrics(s.Server)...)
	}
	if s.RequestTimeout > 0 {
		all = append(all, constant("http_request_timeout_seconds", "The time limit of a request.", s.RequestTimeout.Seconds()))
	}
	if s.RedisDegraded != nil {
		all = append(all, gauge("redis_degraded", "1 while Redis does not answer and each process counts rates by itself.", func() float64 { return toFloat(s.RedisDegraded()) }))
	}
	if s.CertificateExpires != nil {
		all = append(all, gauge("tls_certificate_not_after_timestamp_seconds", "When the certificate expires, in seconds since 1970.",
			func() float64 { return float64(s.CertificateExpires().Unix()) }))
	}
	if s.Schema != nil {
		all = append(all, newSchema(s.Schema, s.Migrations))
	}
	if s.History != nil {
		all = append(all, newHeldBack(s.History))
	}
	return m.Register(all...)
}

func gauge(name, help string, of func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, of)
}

func counter(name, help string, of func() float64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, of)
}

// constant is the gauge of a setting.
func constant(name, help string, value float64) prometheus.Collector {
	return gauge(name, help, func() float64 { return value })
}

func toFloat(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func serverMetrics(s *httpserver.Server) []prometheus.Collector {
	return []prometheus.Collector{
		gauge("http_connections_open", "Connections of clients.", func() float64 { return float64(s.Stats().Conns) }),
		constant("http_connections_limit", "The maximum number of connections of clients.", float64(s.Conns())),
		counter("http_connections_evicted_total", "Connections that were closed to make room for new ones.",
			func() float64 { return float64(s.Stats().Evicted) }),
		counter("http2_requests_rejected_total", "Requests by HTTP/2 that were rejected because there were too many.",
			func() float64 { return float64(s.Stats().Refused) }),
	}
}

// limitMetrics returns gauges of the configured limits of a database.
func limitMetrics(db *sqldb.DB) []prometheus.Collector {
	l := db.Limits()
	return []prometheus.Collector{
		constant("db_connections_limit", "The maximum number of connections of the pool.", float64(l.Conns)),
		constant("db_queue_timeout_seconds", "How long a request waits for connections at most.", l.QueueTimeout.Seconds()),
		constant("db_statement_timeout_seconds", "The time limit of a statement.", l.StatementTimeout.Seconds()),
	}
}

// scrapeLook is how long a scrape waits for the replica, and how long for the schema. Metrics
// that are not available in time are left out.
const scrapeLook = time.Second

// A replica collects the metrics of the replica of a database.
type replica struct {
	db                             *sqldb.DB
	used, lag, open, held, waiting *prometheus.Desc
}

func newReplica(db *sqldb.DB) replica {
	return replica{
		db:      db,
		used:    newDesc("db_replica_used", "1 while reads go to the replica."),
		lag:     newDesc("db_replica_lag_bytes", "How many bytes of the primary's log the replica has not replayed; absent if that is unknown."),
		open:    newDesc("db_replica_connections_open", "Connections to the replica."),
		held:    newDesc("db_replica_connections_held", "Connections to the replica that statements hold."),
		waiting: newDesc("db_replica_connections_waiting", "Statements that wait for a connection to the replica."),
	}
}

// A heldBack collects how far readers of the history are held back.
type heldBack struct {
	db   *sqldb.DB
	desc *prometheus.Desc
}

func newHeldBack(db *sqldb.DB) heldBack {
	return heldBack{db, newDesc("history_held_back_seconds", "The age of the oldest transaction that holds entries of the history back from readers that follow it; 0 without one.")}
}

// Describe implements [prometheus.Collector].
func (h heldBack) Describe(to chan<- *prometheus.Desc) { to <- h.desc }

// Collect implements [prometheus.Collector].
func (h heldBack) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLook)
	defer cancel()
	if age, err := framework.HistoryHeldBack(ctx, h.db); err == nil {
		to <- prometheus.MustNewConstMetric(h.desc, prometheus.GaugeValue, age.Seconds())
	}
}

func newDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// Describe implements [prometheus.Collector].
func (r replica) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{r.used, r.lag, r.open, r.held, r.waiting} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (r replica) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLook)
	defer cancel()
	stats := r.db.ReplicaStats(ctx)
	if stats == nil {
		return
	}
	send := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	send(r.used, toFloat(stats.Used))
	send(r.open, float64(stats.Pool.OpenConnections))
	send(r.held, float64(stats.Queue.Used))
	send(r.waiting, float64(stats.Queue.Waiting))
	if stats.Lag >= 0 {
		send(r.lag, float64(stats.Lag))
	}
}

// A schema collects which migrations the database has.
type schema struct {
	db               *sqldb.DB
	sets             []sqldb.Migrations
	version, pending *prometheus.Desc
}

func newSchema(db *sqldb.DB, sets []sqldb.Migrations) schema {
	return schema{
		db: db, sets: sets,
		version: newDesc("db_schema_version", "The highest id of the applied migrations of a set.", "namespace"),
		pending: newDesc("db_migrations_pending", "Migrations of this program that the database lacks."),
	}
}

// Describe implements [prometheus.Collector].
func (s schema) Describe(to chan<- *prometheus.Desc) {
	to <- s.version
	to <- s.pending
}

// Collect implements [prometheus.Collector].
func (s schema) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLook)
	defer cancel()
	list, err := s.db.MigrationStatus(ctx, s.sets...)
	if len(list) == 0 && err != nil {
		return
	}
	newest, pending := map[string]float64{}, 0
	for _, m := range list {
		id, err := strconv.ParseFloat(m.ID, 64)
		switch {
		case m.AppliedAt.IsZero():
			pending++
		case err == nil:
			newest[m.Namespace] = max(newest[m.Namespace], id)
		}
	}
	for namespace, id := range newest {
		to <- prometheus.MustNewConstMetric(s.version, prometheus.GaugeValue, id, namespace)
	}
	to <- prometheus.MustNewConstMetric(s.pending, prometheus.GaugeValue, float64(pending))
}
