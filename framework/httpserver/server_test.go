package httpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestAServerThatStops: it reports that it stops, accepts requests for the
// delay, and ends each connection with its answer.
func TestAServerThatStops(t *testing.T) {
	t.Parallel()
	var asked atomic.Bool
	s := serving(t, said("good"), Options{DrainDelay: waitLimit, Checks: []Check{{Name: "database", Run: func(context.Context) error {
		asked.Store(true)
		return nil
	}}}})
	kept := s.dial().says("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if got := kept.next().is(t, http.StatusOK); got.header.Get("Connection") != "" {
		t.Errorf("before, Connection is %q", got.header.Get("Connection"))
	}
	s.stop()
	await(t, "the stop", func() bool { return strings.Contains(s.log.String(), "msg=stopping") })
	s.get(client(t), "GET /readyz").is(t, http.StatusServiceUnavailable, `{"status":"stopping"}`)
	s.get(client(t), "GET /livez").is(t, http.StatusOK)
	s.get(client(t), "GET /").is(t, http.StatusOK, "good")
	kept.says("GET / HTTP/1.1\r\nHost: x\r\n\r\n").next().is(t, http.StatusOK, "good")
	if !kept.isClosed() {
		t.Error("a connection that was kept stays open")
	}
	s.Ready() // too late
	s.get(client(t), "GET /readyz").is(t, http.StatusServiceUnavailable, `{"status":"stopping"}`)
	if asked.Load() {
		t.Error("a server that stops runs its checks")
	}
}

// TestRequestsUnderWayAreFinished when the server stops.
func TestRequestsUnderWayAreFinished(t *testing.T) {
	t.Parallel()
	b := newBlocker()
	s := serving(t, b, Options{DrainDelay: time.Millisecond, Drain: waitLimit})
	under := s.ask("/whole")
	<-b.entered
	s.stop()
	await(t, "the listener to close", func() bool {
		c, err := net.Dial("tcp", s.at)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	select {
	case err := <-s.ended:
		t.Fatalf("it ended with %v before the request under way", err)
	default:
	}
	b.let <- struct{}{}
	(<-under).is(t, http.StatusOK, "/whole")
	if err := <-s.ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// TestRequestsThatDoNotEnd are cut off, which is an error.
func TestRequestsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	b := newBlocker()
	s := serving(t, b, Options{Drain: time.Millisecond})
	under := s.ask("/")
	<-b.entered
	s.stop()
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "still under way after 1ms") {
		t.Errorf("it ends with %v", err)
	}
	(<-under).is(t, 0)
	b.let <- struct{}{}
}

// TestAServerThatWasNeverReady stops without delay, and never serves.
func TestAServerThatWasNeverReady(t *testing.T) {
	t.Parallel()
	s := serving(t, said("good"), Options{DrainDelay: time.Hour, Starting: said("starting")})
	s.get(client(t), "GET /").is(t, http.StatusOK, "starting")
	s.stop()
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(waitLimit):
		t.Fatal("it does not end")
	}
	if log := s.log.String(); strings.Contains(log, "msg=serving") || !strings.Contains(log, "msg=starting") {
		t.Errorf("the log is %s", log)
	}
}

// broken is a listener that fails.
type broken struct{ net.Listener }

func (broken) Accept() (net.Conn, error) { return nil, errors.New("no more") }

func TestAListenerThatFails(t *testing.T) {
	t.Parallel()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := servingOn(t, broken{on}, said(""), Options{})
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "no more") {
		t.Errorf("it ends with %v", err)
	}
}

// TestRequestsThatNeverReachTheHandler is answered by net/http, with constants only, and the
// connection ends.
func TestRequestsThatNeverReachTheHandler(t *testing.T) {
	t.Parallel()
	const secret = "trs-canary"
	var reached atomic.Bool
	s := serving(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }), Options{})
	for name, test := range map[string]struct {
		sent   string
		status int
	}{
		"not a request":                  {secret + "\r\n\r\n", 400},
		"a method with a blank":          {"GE T / " + secret + " HTTP/1.1\r\nHost: x\r\n\r\n", 400},
		"no host":                        {"GET /" + secret + " HTTP/1.1\r\n\r\n", 400},
		"two hosts":                      {"GET / HTTP/1.1\r\nHost: " + secret + "\r\nHost: b\r\n\r\n", 400},
		"an invalid host":                {"GET / HTTP/1.1\r\nHost: " + secret + "/ <>\r\n\r\n", 400},
		"a header without a colon":       {"GET / HTTP/1.1\r\nHost: x\r\n" + secret + "\r\n\r\n", 400},
		"a header with a blank before :": {"GET / HTTP/1.1\r\nHost: x\r\n" + secret + " : a\r\n\r\n", 400},
		"a NUL in a header":              {"GET / HTTP/1.1\r\nHost: x\r\na: " + secret + "\x00\r\n\r\n", 400},
		"two lengths":                    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\na: " + secret + "\r\n\r\n", 400},
		"an invalid length":              {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + secret + "\r\n\r\n", 400},
		"an unknown transfer coding":     {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + secret + "\r\n\r\n", 501},
		"another version":                {"GET / HTTP/3.0\r\nHost: x\r\na: " + secret + "\r\n\r\n", 505},
		"a head that is too large":       {"GET / HTTP/1.1\r\nHost: x\r\na: " + strings.Repeat(secret, 3000) + "\r\n\r\n", 431},
	} {
		w := s.dial()
		_, _ = io.WriteString(w, test.sent)
		text, _ := io.ReadAll(w.answer)
		head, body, _ := strings.Cut(string(text), "\r\n\r\n")
		if !strings.Contains(head, " "+http.StatusText(test.status)) || !strings.Contains(head, "Content-Type: text/plain") || !strings.Contains(head, "Connection: close") {
			t.Errorf("%s: it is answered %q; want %d", name, text, test.status)
		}
		if strings.Contains(string(text), secret) || len(body) > 80 {
			t.Errorf("%s: the answer contains more than that: %q", name, text)
		}
	}
	if reached.Load() {
		t.Error("one of them reached the handler")
	}
}

// TestOptionsOfAll: the handler answers OPTIONS * like any other request.
func TestOptionsOfAll(t *testing.T) {
	t.Parallel()
	s := serving(t, said("mine"), Options{})
	s.dial().says("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").next().is(t, http.StatusOK, "mine")
}

// BenchmarkServer measures a request over a real connection.
func BenchmarkServer(b *testing.B) {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := New(said("good"), Options{})
	go func() { _ = s.Serve(b.Context(), on) }()
	defer s.http.Close()
	asks := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			got, err := asks.Get("http://" + on.Addr().String())
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, got.Body)
			_ = got.Body.Close()
		}
	})
}
