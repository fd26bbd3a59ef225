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

// Options say how a server serves. The zero Options is a good start.
type Options struct {
	// Limits bound what clients can hold.
	Limits Limits
	// TLS is how the server speaks TLS, with its certificate, and HTTP/2 then.
	// Defaults to none: it speaks neither.
	TLS *tls.Config
	// Checks are asked by /readyz, all at once, and remembered for a second.
	// Defaults to none.
	Checks []Check
	// Starting answers requests until [Server.Ready] is called, while /readyz
	// is 503. Defaults to none: the server is ready at once.
	Starting http.Handler
	// DrainDelay is how long requests are still taken when the server is to
	// stop and /readyz says so: until nobody sends it new ones. Defaults to none.
	DrainDelay time.Duration
	// Drain is how long those that are under way then may take. Defaults to 25
	// seconds.
	Drain time.Duration
	// Log is told of starts and stops, failing checks and refused requests.
	// Defaults to slog.Default.
	Log *slog.Logger
}

// A Server serves a handler within limits, and /livez and /readyz beside it: 200
// while the process runs, and 200 while it can answer requests. Make it with
// [New]; it serves one listener, once.
type Server struct {
	options  Options
	limits   Limits
	handler  http.Handler
	http     *http.Server
	conns    *conns
	health   *health
	told     seldom // that streams are refused
	log      *slog.Logger
	ready    atomic.Bool
	stopping atomic.Bool

	mu      sync.Mutex // of what is told to the log
	address string
}

const (
	// mostStreams are the requests that a client may have under way by one connection
	// of HTTP/2, as many as RFC 9113, section 5.1.2, would have at least.
	mostStreams = 100
	// unread is how much of what came by one such connection is held for handlers that
	// have not read it: as much as the protocol begins with.
	unread = 64 << 10
)

// http2Config bounds a connection of which not a byte is taken, too: for those of many
// requests net/http lifts the deadline of the answer from the connection.
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
		Handler:                      http.HandlerFunc(s.serve),
		TLSConfig:                    o.TLS.Clone(), // net/http changes it
		HTTP2:                        s.limits.http2Config(),
		ReadHeaderTimeout:            s.limits.Header,
		ReadTimeout:                  s.limits.Read,
		WriteTimeout:                 s.limits.Write,
		IdleTimeout:                  s.limits.Idle,
		MaxHeaderBytes:               s.limits.HeaderBytes,
		ConnState:                    changed,
		ConnContext:                  withConn,
		ErrorLog:                     slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
		DisableGeneralOptionsHandler: true, // OPTIONS * is the handler's to answer
	}
	return s
}

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	c := connOf(r)
	if r.ProtoMajor > 1 && c != nil {
		watched, full := c.stream(w)
		switch {
		case full:
			s.refuse(w)
			return
		case watched == nil: // its connection has gone: net/http would answer 200
			panic(http.ErrAbortHandler)
		}
		defer watched.end()
		s.admitted(watched, r, c)
		_ = watched.FlushError() // or net/http does, and nobody knows that it waits
		return
	}
	if !c.enter() { // it was closed for another's sake
		panic(http.ErrAbortHandler)
	}
	c.endsAfter(w, r)
	var readAll bool
	defer func() { c.leave(readAll) }()
	readAll = s.admitted(w, r, c)
}

// admitted answers a request that has its place, and reports whether all that was sent
// with it was read.
func (s *Server) admitted(w http.ResponseWriter, r *http.Request, c *conn) (readAll bool) {
	if s.stopping.Load() {
		w.Header().Set("Connection", "close")
	}
	if !hasBody(r) {
		s.answer(w, r)
		return true
	}
	r, sent := s.paced(w, r, c)
	s.answer(w, r)
	sent.finish(w, r)
	return sent.over.Load()
}

// hasBody reports whether something may be sent with a request. By HTTP/2 net/http
// makes a body of nothing as well, and believes a length of 0 though the client has not
// ended the request: its end would be waited for without limit.
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

// Ready ends the start, of a server with [Options].Starting. Further calls do
// nothing.
func (s *Server) Ready() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready.Load() || s.stopping.Load() {
		return
	}
	s.health.become(stateOK)
	s.ready.Store(true)
	if s.address != "" {
		s.tell("serving")
	}
}

// Serve answers requests until ctx ends. Then /readyz says so for the delay, while
// requests are still taken and each connection is told to end with its answer;
// then no new ones are taken, and those under way are waited for. It is an error
// if they take too long, which ends them, or if the listener fails. A server that
// never was ready stops without delay.
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

// begin tells where the server is, and whether it is ready.
func (s *Server) begin(at net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns.limit < s.limits.Conns {
		s.log.Warn("there is room for fewer connections than are allowed, as the process may open few files",
			"connections", s.conns.limit, "allowed", s.limits.Conns, "files", openFiles())
	}
	s.address = at.String()
	if s.options.Starting == nil {
		s.health.become(stateOK)
		s.ready.Store(true)
	}
	if s.ready.Load() {
		s.tell("serving")
	} else {
		s.tell("starting")
	}
}

func (s *Server) tell(what string) {
	s.log.Info(what, "address", s.address, "tls", s.options.TLS != nil)
}

func (s *Server) accept(on net.Listener, speaksTLS bool) error {
	if speaksTLS {
		return s.http.ServeTLS(on, "", "") // its TLSConfig has the certificate
	}
	return s.http.Serve(on)
}

// stop lets requests under way finish.
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

// endReady says that the server is to stop, and for how long it still takes
// requests.
func (s *Server) endReady() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	delay := s.options.DrainDelay
	if !s.ready.Load() {
		delay = 0
	}
	s.health.become(stateStopping)
	s.stopping.Store(true)
	s.log.Info("stopping", "delay", delay.String(), "drain", s.options.Drain.String())
	return delay
}

// waitFor waits, unless the server fails meanwhile.
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

// Stats are what a server holds just now, and what it has done since its start.
type Stats struct {
	Conns   int   // connections
	Evicted int64 // connections that were closed for the sake of new ones
	Refused int64 // requests by HTTP/2 that were rejected, since there were too many
}

// Conns is how many connections of clients there may be: [Limits].Conns, or fewer where
// the process may open few files.
func (s *Server) Conns() int { return s.conns.limit }

// Stats counts. It is safe for concurrent use.
func (s *Server) Stats() (stats Stats) {
	stats.Conns, stats.Evicted, stats.Refused = s.conns.counts()
	return stats
}
