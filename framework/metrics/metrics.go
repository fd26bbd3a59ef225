package metrics

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// Metrics are the metrics of one API and its database. It is a [framework.Observer] for
// the API, and safe for concurrent use.
type Metrics struct {
	registry   *prometheus.Registry
	inFlight   prometheus.Gauge
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	failures   *prometheus.CounterVec
	shed       *prometheus.CounterVec
	statements *prometheus.HistogramVec
	faults     *prometheus.CounterVec
}

// buckets are the upper bounds of the histograms, in seconds.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// New makes metrics with a registry of their own, and begins to observe the database.
func New(db *sqldb.DB) (*Metrics, error) {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "http_requests_in_flight", Help: "Requests under way.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "http_requests_total", Help: "Requests that have ended.",
		}, []string{"route", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "http_request_duration_seconds", Help: "How long requests took.", Buckets: buckets,
		}, []string{"route", "method"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "http_request_errors_total", Help: "Requests that the server failed, by the code of the answer.",
		}, []string{"code"}),
		shed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "http_requests_shed_total", Help: "Requests that were answered 503 overloaded, by their route.",
		}, []string{"route"}),
		statements: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "db_statement_duration_seconds", Help: "How long statements took, up to their first row.", Buckets: buckets,
		}, []string{"kind"}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "db_statement_errors_total", Help: "Statements that failed, by the kind of error.",
		}, []string{"fault"}),
	}
	err := m.Register(append(limitMetrics(db),
		m.inFlight, m.requests, m.durations, m.failures, m.shed, m.statements, m.faults, newReplica(db),
		queueGauge(db, "db_connections_held", "Connections that statements and transactions hold.", func(s sqldb.QueueStats) int { return s.Used }),
		queueGauge(db, "db_connections_waiting", "Statements and transactions that wait for a connection.", func(s sqldb.QueueStats) int { return s.Waiting }),
		shedCounter(db),
		collectors.NewDBStatsCollector(db.DB.DB, db.Kind().String()), goRuntime(), collectors.NewBuildInfoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)...)
	if err != nil {
		return nil, err
	}
	db.Observe(m.statement)
	return m, nil
}

// queueGauge returns a gauge of the queue for connections.
func queueGauge(db *sqldb.DB, name, help string, of func(sqldb.QueueStats) int) prometheus.Collector {
	return gauge(name, help, func() float64 { return float64(of(db.QueueStats())) })
}

// shedCounter counts the waits for a connection that took too long, or that were ended because
// too many waited.
func shedCounter(db *sqldb.DB) prometheus.Collector {
	return counter("db_waits_shed_total", "Waits for a connection that took too long, or that were ended because too many waited.",
		func() float64 { return float64(db.QueueStats().Shed) })
}

// goRuntime collects metrics of the Go runtime. In addition to the default ones it has
// the live heap after the last garbage collection, which shows a leak.
func goRuntime() prometheus.Collector {
	return collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(
		collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile("^/gc/heap/live:bytes$")},
	))
}

// Register adds collectors of the program. It fails if the name of a metric is already used
// or invalid; the collectors before that one stay.
func (m *Metrics) Register(all ...prometheus.Collector) error {
	for _, c := range all {
		if err := m.registry.Register(c); err != nil {
			return fmt.Errorf("metrics: a collector cannot be registered: %w", err)
		}
	}
	return nil
}

// Begin implements [framework.Observer].
func (m *Metrics) Begin(ctx context.Context, _ *http.Request) context.Context {
	m.inFlight.Inc()
	return ctx
}

// End implements [framework.Observer]. It adds nothing to the log.
func (m *Metrics) End(_ context.Context, o framework.Outcome) []slog.Attr {
	m.inFlight.Dec()
	m.requests.WithLabelValues(o.Path, o.Method, strconv.Itoa(o.Status)).Inc()
	m.durations.WithLabelValues(o.Path, o.Method).Observe(o.Duration.Seconds())
	if o.Status >= http.StatusInternalServerError {
		m.failures.WithLabelValues(o.Code).Inc()
	}
	if o.Code == framework.CodeOverloaded {
		m.shed.WithLabelValues(o.Path).Inc()
	}
	return nil
}

func (m *Metrics) statement(_ context.Context, e sqldb.Event) {
	m.statements.WithLabelValues(e.Operation()).Observe(e.Duration.Seconds())
	if fault := e.Failure(); fault != "" {
		m.faults.WithLabelValues(fault).Inc()
	}
}

// Limits of scrapes, so that they do not overload the server.
const (
	scrapesAtOnce = 4
	scrapeTime    = 10 * time.Second
)

// Handler answers with all metrics, in the text format of Prometheus or another format that
// the client accepts. It answers at most four requests at once, and others with 503. It also
// answers 503 after ten seconds.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesAtOnce, Timeout: scrapeTime})
}

var _ framework.Observer = (*Metrics)(nil)
