package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/metrics"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/tracing"
)

// A watch observes a server: by metrics, at an address of their own, and by traces.
// Without settings it does nothing.
type watch struct {
	observers []framework.Observer
	metrics   *metrics.Metrics // nil without metrics
	ends      []func()
}

// watch starts the metrics and the traces of the settings. It returns a watch without
// observers if neither is set. After an error it ends what it started.
func (s *server) watch(ctx context.Context) (*watch, error) {
	w := &watch{}
	if err := errors.Join(w.measure(ctx, s), w.trace(ctx, s)); err != nil {
		w.end()
		return nil, err
	}
	return w, nil
}

// end ends everything, the last first.
func (w *watch) end() {
	for _, end := range slices.Backward(w.ends) {
		end()
	}
}

// measure serves metrics, if the settings name an address for them.
func (w *watch) measure(ctx context.Context, s *server) error {
	if s.MetricsAddr == "" {
		return nil
	}
	m, err := metrics.New(s.DB)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.MetricsAddr)
	if err != nil {
		// If it were wrapped, err would count as a fault of the database.
		return fmt.Errorf(s.Text("metrics cannot be served at %s: %v; set {PROGRAM}_METRICS_ADDR to another address"), s.MetricsAddr, err)
	}
	w.metrics = m
	w.observers = append(w.observers, m)
	w.ends = append(w.ends, serveMetrics(listener, m.Handler(), s.Log))
	return nil
}

// include adds the metrics of the server, the migrations, Redis and the certificate. Without
// metrics it does nothing.
func (w *watch) include(s *server, web *httpserver.Server) error {
	if w.metrics == nil {
		return nil
	}
	all := metrics.Sources{Server: web, RequestTimeout: s.RequestTimeout, Schema: s.probe, Migrations: s.Migrations}
	if s.counters != nil {
		all.RedisDegraded = func() bool { return s.counters.Ping(context.Background()) != nil } // like /readyz
	}
	if s.Certificate != nil {
		all.CertificateExpires = func() time.Time { until, _ := s.Certificate.EndsSoon(); return until }
	}
	if slices.ContainsFunc(s.apis, func(api *framework.API) bool { return len(api.Recorded()) > 0 }) {
		all.History = s.probe
	}
	return w.metrics.Add(all)
}

// serveMetrics answers /metrics until the returned function is called.
func serveMetrics(listener net.Listener, answer http.Handler, log *slog.Logger) (end func()) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", answer)
	server := &http.Server{
		Handler: endingBodies(mux), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 8 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("metrics are served no longer", "error", err)
		}
	}()
	log.Info("serving metrics", "address", listener.Addr().String())
	return func() {
		_ = server.Close()
		<-ended
	}
}

// endingBodies closes the connection after a request with a body of unknown length, which no
// collector sends: a proxy may have found another end of it (RFC 9112, section 6.1).
func endingBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// trace sends traces to a collector, if the settings name one.
func (w *watch) trace(ctx context.Context, s *server) error {
	to := s.Collector()
	if to == "" {
		return nil
	}
	o := tracing.Options{
		Endpoint: to, Service: s.ServiceName, DefaultService: string(s.Name),
		Sampler: s.Sampler, SamplerArg: s.SamplerArg, TrustedProxies: s.TrustedProxies, Log: s.Log,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		o.Version = info.Main.Version
	}
	t, err := tracing.Start(ctx, o)
	if err != nil {
		return exit.Misused("%w", err)
	}
	t.Watch(s.DB)
	w.observers = append(w.observers, t)
	w.ends = append(w.ends, func() {
		if err := t.Close(); err != nil {
			s.Log.Warn("the last traces are lost", "error", err)
		}
	})
	return nil
}
