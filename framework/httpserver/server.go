package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the settings of a server. The zero Options selects all defaults.
type Options struct {
	// Limits bound the resources that clients can use.
	Limits Limits
	// TLS is the configuration of TLS, with a certificate. It turns HTTP/2 on, too.
	// Defaults to none: the server speaks HTTP/1 in cleartext.
	TLS *tls.Config
	// Checks are run by /readyz, all at once. Their results are reused for one second.
	// Defaults to none.
	Checks []Check
	// Starting answers requests until [Server.Ready] is called, while /readyz
	// is 503. Defaults to none: the server is ready at once.
	Starting http.Handler
	// DrainDelay is how long the server still accepts requests after its context has ended,
	// while /readyz is 503, so that load balancers can notice. Defaults to none, and is not used
	// if the server was never ready.
	DrainDelay time.Duration
	// Drain is how long requests under way may take after DrainDelay. Defaults to 25
	// seconds.
	Drain time.Duration
	// Log gets starts and stops, checks that begin to fail or pass again, a warning about too
	// few open files, rejected HTTP/2 requests, and the messages of net/http, such as panics
	// of handlers. Defaults to slog.Default.
	Log *slog.Logger
}

// A Server serves a handler within limits, and answers /livez and /readyz itself. /livez is 200
// while the process runs. /readyz is 200 while the server has started, is not stopping, and no
// check fails except checks that only degrade it; otherwise it is 503. Make it with [New]; it
// serves one listener, once.
type Server struct {
	options  Options
	limits   Limits
	handler  http.Handler
	http     *http.Server
	conns    *conns
	health   *health
	warned   logLimiter // that HTTP/2 requests are rejected
	log      *slog.Logger
	ready    atomic.Bool
	stopping atomic.Bool

	mu      sync.Mutex // guards address and the order of the log's lines
	address string
}

const (
	// mostStreams is how many requests one HTTP/2 connection may have under way: the
	// least that RFC 9113, section 6.5.2, recommends.
	mostStreams = 100
	// unread is how many bytes of bodies one HTTP/2 connection may have sent before their
	// handlers read them: the least that net/http accepts for a connection.
	unread = 64 << 10
)

// http2Config returns the settings of HTTP/2. It sets WriteByteTimeout, because net/http sets no
// write deadline on an HTTP/2 connection.
func (l Limits) http2Config() *http.HTTP2Config {
	return &http.HTTP2Config{
		MaxConcurrentStreams:          mostStreams,
		MaxReceiveBufferPerConnection: unread,
		MaxReceiveBufferPerStream:     unread,
		WriteByteTimeout:              l.Write,
	}
}

// New makes a server of a handler. It does not listen yet.
func New(handler http.Handler, o Options) *Server {
	o.Drain = orDefault(o.Drain, 25*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	s := &Server{options: o, limits: o.Limits.withDefaults(), handler: handler, log: o.Log, health: newHealth(o.Checks, o.Log)}
	s.conns = newConns(s.limits.within(openFiles()))
	s.http = &http.Server{
		Handler:                      root{s},
		TLSConfig:                    o.TLS.Clone(), // net/http changes it
		HTTP2:                        s.limits.http2Config(),
		ReadHeaderTimeout:            s.limits.Header,
		ReadTimeout:                  s.limits.Read,
		WriteTimeout:                 s.limits.Write,
		IdleTimeout:                  s.limits.Idle,
		MaxHeaderBytes:               s.limits.HeaderBytes,
		ConnState:                    recordState,
		ConnContext:                  withConn,
		ErrorLog:                     slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true, // the handler answers OPTIONS *
	}
	return s
}

// A root is the handler of all requests of a server.
type root struct{ server *Server }

// ServeHTTP implements [http.Handler].
func (h root) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.server.serve(w, r) }

// OwnPaths lists the paths that the server answers itself. A handler that finds the http.Server by
// [http.ServerContextKey] may suggest them for mistyped paths.
func (root) OwnPaths() []string { return []string{livePath, readyPath} }

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	if r.ProtoMajor > 1 && c != nil {
		watched, full := c.stream(w)
		switch {
		case full:
			s.reject(w)
			return
		case watched == nil: // the connection is closed; without a panic net/http would answer 200
			panic(http.ErrAbortHandler)
		}
		defer watched.end()
		s.handle(watched, r, c)
		_ = watched.FlushError() // net/http would flush after watched.end, unrecorded
		return
	}
	if !c.enter() { // it was closed to make room
		panic(http.ErrAbortHandler)
	}
	c.endsAfter(w, r)
	var readAll bool
	defer func() { c.leave(readAll) }()
	readAll = s.handle(w, r, c)
}

// handle answers a request for which there is room. While the server stops, the answer has
// Connection: close. handle reports whether the body of the request was read to its end.
func (s *Server) handle(w http.ResponseWriter, r *http.Request, c *conn) (readAll bool) {
	if s.stopping.Load() {
		w.Header().Set("Connection", "close")
	}
	if !hasBody(r) {
		s.answer(w, r)
		return true
	}
	r, sent := s.limitBody(w, r, c)
	s.answer(w, r)
	sent.finish(w, r)
	return sent.over.Load()
}

// hasBody reports whether a body may follow. A request with Content-Length: 0 counts if net/http
// made a body for it: an HTTP/2 client may not have ended the request, and net/http would wait
// for the end without the limits of [body].
func hasBody(r *http.Request) bool {
	return r.Body != nil && r.Body != http.NoBody && (r.ContentLength != 0 || len(r.Header["Content-Length"]) > 0)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if s.health.serve(w, r) {
		return
	}
	if !s.ready.Load() {
		s.options.Starting.ServeHTTP(w, r)
		return
	}
	s.handler.ServeHTTP(w, r)
}

// Ready makes a server with [Options].Starting serve its handler. Further calls, and calls
// after the server began to stop, do nothing. It is safe for concurrent use.
func (s *Server) Ready() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready.Load() || s.stopping.Load() {
		return
	}
	s.health.setState(stateOK)
	s.ready.Store(true)
	if s.address != "" {
		s.logState("serving")
	}
}

// Serve answers requests until ctx ends. Then /readyz is 503 for [Options].DrainDelay,
// while the server still takes requests and ends each connection after its answer. After
// that it takes no new requests and waits for those under way. If they take longer than
// [Options].Drain, Serve cuts them off and returns an error. It also returns an error if the
// listener fails; then it closes no connection. A server that was never ready stops without
// the delay.
func (s *Server) Serve(ctx context.Context, on net.Listener) error {
	s.begin(on.Addr())
	speaksTLS := s.options.TLS != nil
	served := make(chan error, 1)
	go func() { served <- s.accept(s.conns.listen(on), speaksTLS) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	return s.stop(ctx, served)
}

// begin stores the address of the server. If the server has no [Options].Starting, begin
// makes it ready. Then begin logs the address and whether the server is ready. It logs a
// warning if the process may open too few files for [Limits].Conns.
func (s *Server) begin(at net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns.limit < s.limits.Conns {
		s.log.Warn("the process may open too few files for the allowed number of connections",
			"connections", s.conns.limit, "allowed", s.limits.Conns, "files", openFiles())
	}
	s.address = at.String()
	if s.options.Starting == nil {
		s.health.setState(stateOK)
		s.ready.Store(true)
	}
	if s.ready.Load() {
		s.logState("serving")
	} else {
		s.logState("starting")
	}
}

func (s *Server) logState(what string) {
	s.log.Info(what, "address", s.address, "tls", s.options.TLS != nil)
}

func (s *Server) accept(on net.Listener, speaksTLS bool) error {
	if speaksTLS {
		return s.http.ServeTLS(on, "", "") // its TLSConfig has the certificate
	}
	return s.http.Serve(on)
}

// stop waits for the delay of endReady, and then at most Options.Drain for requests under way.
func (s *Server) stop(ctx context.Context, served <-chan error) error {
	if err := waitFor(s.endReady(), served); err != nil {
		return err
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.Drain)
	defer cancel()
	if err := s.http.Shutdown(drain); err != nil {
		return fmt.Errorf("requests were still under way after %s and were cut off: %w", s.options.Drain, errors.Join(err, s.http.Close()))
	}
	return nil
}

// endReady makes /readyz 503 and returns how long the server still takes requests.
func (s *Server) endReady() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	delay := s.options.DrainDelay
	if !s.ready.Load() {
		delay = 0
	}
	s.health.setState(stateStopping)
	s.stopping.Store(true)
	s.log.Info("stopping", "delay", delay.String(), "drain", s.options.Drain.String())
	return delay
}

// waitFor waits for the delay and returns nil. If the server fails meanwhile, it returns that
// error.
func waitFor(delay time.Duration, failed <-chan error) error {
	if delay <= 0 {
		return nil
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case err := <-failed:
		return err
	}
}

// Stats are the connections that a server has open, and counts since its start.
type Stats struct {
	Conns   int   // connections
	Evicted int64 // connections that were closed to make room for new ones
	Refused int64 // HTTP/2 requests that were answered 503 because there were too many
}

// Conns returns how many connections may be open: [Limits].Conns, or fewer if the process
// may open too few files.
func (s *Server) Conns() int { return s.conns.limit }

// Stats returns the current numbers. It is safe for concurrent use.
func (s *Server) Stats() (stats Stats) {
	stats.Conns, stats.Evicted, stats.Refused = s.conns.counts()
	return stats
}
