package httpserver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"trestle.example/internal/journal"
)

// waitLimit is the maximum wait of a test on a busy machine.
const waitLimit = time.Minute

// A served is a server that listens until the test ends.
type served struct {
	*Server

	t     *testing.T
	at    string
	stop  context.CancelFunc
	ended chan error
	log   *journal.Journal
}

// serving starts a server on a free port.
func serving(t *testing.T, handler http.Handler, o Options) *served {
	t.Helper()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return servingOn(t, on, handler, o)
}

func servingOn(t *testing.T, on net.Listener, handler http.Handler, o Options) *served {
	t.Helper()
	log := &journal.Journal{}
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	ctx, stop := context.WithCancel(context.Background())
	s := &served{Server: New(handler, o), t: t, at: on.Addr().String(), stop: stop, ended: make(chan error, 1), log: log}
	go func() { s.ended <- s.Serve(ctx, on) }()
	t.Cleanup(func() {
		stop()
		_ = s.http.Close()
	})
	return s
}

// servingTLS serves by TLS, and returns the configuration of its clients.
func servingTLS(t *testing.T, handler http.Handler, limits Limits) (*served, *tls.Config) {
	t.Helper()
	certified, trust := certificate(t)
	return serving(t, handler, Options{Limits: limits, TLS: certified}), trust
}

// certificate returns the TLS configurations of a server and of its clients.
func certificate(t *testing.T) (certified, trust *tls.Config) {
	t.Helper()
	lender := httptest.NewTLSServer(nil)
	t.Cleanup(lender.Close)
	certified = &tls.Config{Certificates: lender.TLS.Certificates, MinVersion: tls.VersionTLS12}
	return certified, lender.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
}

// overHTTP2 returns a client that speaks HTTP/2.
func overHTTP2(t *testing.T, trust *tls.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: trust.Clone(), ForceAttemptHTTP2: true} // the transport changes it
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: waitLimit}
}

// await returns when a condition is true.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(waitLimit); !is(); <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// A reply is the answer for a client.
type reply struct {
	status int
	header http.Header
	body   string
}

// client returns a client with its own connections.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: waitLimit}
}

// get sends "GET /" and the like; without an answer the status is 0.
func (s *served) get(with *http.Client, request string) reply {
	method, path, _ := strings.Cut(request, " ")
	return s.send(with, method, path, nil)
}

func (s *served) send(with *http.Client, method, path string, body io.Reader) reply {
	r, err := http.NewRequestWithContext(context.Background(), method, "http://"+s.at+path, body)
	if err != nil {
		s.t.Error(err)
		return reply{}
	}
	got, err := with.Do(r)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer got.Body.Close()
	text, _ := io.ReadAll(got.Body)
	return reply{got.StatusCode, got.Header, string(text)}
}

// is checks an answer.
func (a reply) is(t *testing.T, status int, says ...string) reply {
	t.Helper()
	if a.status != status {
		t.Errorf("status %d; want %d: %s", a.status, status, a.body)
	}
	for _, words := range says {
		if !strings.Contains(a.body, words) {
			t.Errorf("the answer is %q; want %q in it", a.body, words)
		}
	}
	return a
}

// A wire is a connection that is written by hand.
type wire struct {
	net.Conn

	t      *testing.T
	answer *bufio.Reader
}

func (s *served) dial() *wire {
	s.t.Helper()
	c, err := net.Dial("tcp", s.at)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetReadDeadline(time.Now().Add(waitLimit))
	return &wire{c, s.t, bufio.NewReader(c)}
}

// says sends a text.
func (w *wire) says(format string, args ...any) *wire {
	w.t.Helper()
	if _, err := fmt.Fprintf(w, format, args...); err != nil {
		w.t.Error(err)
	}
	return w
}

// next reads one answer.
func (w *wire) next() reply {
	w.t.Helper()
	got, err := http.ReadResponse(w.answer, nil)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer got.Body.Close()
	text, _ := io.ReadAll(got.Body)
	return reply{got.StatusCode, got.Header, string(text)}
}

// isClosed waits until the server has closed the connection.
func (w *wire) isClosed() bool {
	_, err := w.answer.ReadByte()
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// said answers with a text.
func said(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

// A blocker is a handler whose requests wait until they are released.
type blocker struct {
	entered chan string   // paths of waiting requests
	let     chan struct{} // releases one
}

func newBlocker() *blocker {
	return &blocker{make(chan string, 1000), make(chan struct{}, 1000)}
}

func (b *blocker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.entered <- r.URL.Path
	select {
	case <-b.let:
	case <-time.After(waitLimit):
	}
	_, _ = io.WriteString(w, r.URL.Path)
}

// ask sends a request in the background.
func (s *served) ask(path string) <-chan reply {
	got := make(chan reply, 1)
	go func() { got <- s.get(client(s.t), "GET "+path) }()
	return got
}
