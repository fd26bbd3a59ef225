package httpserver

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// reads answers the result of reading the body.
func reads(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		http.Error(w, "too slow", http.StatusRequestTimeout)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	default:
		_, _ = w.Write(body)
	}
}

// TestBodiesThatStall are answered 408, and their connections closed.
func TestBodiesThatStall(t *testing.T) {
	t.Parallel()
	short := Limits{Stall: 20 * time.Millisecond}
	for name, test := range map[string]struct {
		limits Limits
		sent   string
		drips  bool
	}{
		"after its head":         {short, "Content-Length: 9\r\n\r\n", false},
		"in its middle":          {short, "Content-Length: 9\r\n\r\nabc", false},
		"in chunks":              {short, "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", false},
		"within a chunk":         {short, "Transfer-Encoding: chunked\r\n\r\n5\r\nabc", false},
		"after 100 Continue":     {short, "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n", false},
		"below the pace":         {Limits{Grace: 50 * time.Millisecond, Pace: 1 << 30}, "Content-Length: 1000000\r\n\r\n", true},
		"for longer than it may": {Limits{Read: 50 * time.Millisecond, Pace: 1}, "Content-Length: 1000000\r\n\r\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, http.HandlerFunc(reads), Options{Limits: test.limits})
			w := s.dial().says("POST / HTTP/1.1\r\nHost: x\r\n%s", test.sent)
			if test.drips {
				go func() {
					for err := error(nil); err == nil; _, err = io.WriteString(w, "x") {
						<-time.After(time.Millisecond)
					}
				}()
			}
			got := w.next()
			if strings.Contains(test.sent, "100-continue") && got.status == http.StatusContinue {
				got = w.next()
			}
			got.is(t, http.StatusRequestTimeout, "too slow")
			if !w.isClosed() {
				t.Error("the connection stays open")
			}
		})
	}
}

// TestABodyThatTheHandlerDoesNotRead delays its answer no longer than a body that is read.
func TestABodyThatTheHandlerDoesNotRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 10_000) // long enough to be sent before the handler ends
	for name, text := range map[string]string{"a short answer": "short", "a long one": long} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, said(text), Options{Limits: Limits{Stall: 20 * time.Millisecond, Read: 2 * waitLimit}})
			w := s.dial().says("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
			w.next().is(t, http.StatusOK, text)
			if !w.isClosed() {
				t.Error("the connection stays open")
			}
		})
	}
}

// TestAnAnswerBeforeItsBody: a client that first sends its whole body receives the
// answer, even if the connection ends.
func TestAnAnswerBeforeItsBody(t *testing.T) {
	t.Parallel()
	s := serving(t, said("short"), Options{Limits: Limits{Stall: 2 * waitLimit}})
	for name, test := range map[string]struct {
		head  string
		bytes int
	}{
		"of a client that ends":        {"HTTP/1.1\r\nHost: x\r\nConnection: close", 200 << 10},
		"of an old client":             {"HTTP/1.0", 200 << 10},
		"longer than the server reads": {"HTTP/1.1\r\nHost: x\r\nConnection: close", leftBytes + 10<<10},
		"longer than net/http reads":   {"HTTP/1.1\r\nHost: x", leftBytes + 10<<10},
		"on a kept connection":         {"HTTP/1.1\r\nHost: x", 200 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 20 {
				w := s.dial().says("POST / %s\r\nContent-Length: %d\r\n\r\n", test.head, test.bytes)
				part := strings.Repeat("x", 10<<10)
				for left := test.bytes; left > 0 && !t.Failed(); left -= len(part) {
					w.says("%s", part)
				}
				w.next().is(t, http.StatusOK, "short")
			}
		})
	}
	t.Run("to a client that got 100 Continue and sent the whole body", func(t *testing.T) {
		t.Parallel()
		one := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadFull(r.Body, make([]byte, 1))
			said("short").ServeHTTP(w, r)
		}), Options{Limits: Limits{Stall: waitLimit}})
		for range 20 {
			w := one.dial().says("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", 200<<10)
			w.next().is(t, http.StatusContinue, "")
			w.says("%s", strings.Repeat("x", 200<<10))
			w.next().is(t, http.StatusOK, "short")
		}
	})
	t.Run("to a client that waits for 100 Continue", func(t *testing.T) {
		t.Parallel()
		w := s.dial().says("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
		w.next().is(t, http.StatusOK, "short")
		if !w.isClosed() {
			t.Error("the server waits for a body that the client does not send")
		}
	})
}

// TestTheTimeOfAHandlerDoesNotCount: the time of the handler between two reads
// does not count.
func TestTheTimeOfAHandlerDoesNotCount(t *testing.T) {
	t.Parallel()
	const stall = 50 * time.Millisecond
	body := strings.Repeat("x", 1<<20)
	for name, limits := range map[string]Limits{"stall": {Stall: stall}, "grace": {Grace: stall, Pace: 1 << 40}} {
		s := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadFull(r.Body, make([]byte, 1))
			<-time.After(3 * stall)
			reads(w, r)
		}), Options{Limits: limits})
		if got := s.send(client(t), http.MethodPost, "/", strings.NewReader(body)); got.status != http.StatusOK || len(got.body) != len(body)-1 {
			t.Errorf("%s: %d, %d bytes", name, got.status, len(got.body))
		}
	}
}

// TestAConnectionIsKeptAfterABody that arrived in time.
func TestAConnectionIsKeptAfterABody(t *testing.T) {
	t.Parallel()
	s := serving(t, http.HandlerFunc(reads), Options{Limits: Limits{Stall: waitLimit}})
	w := s.dial()
	for range 3 {
		w.says("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc").next().is(t, http.StatusOK, "abc")
	}
}

// TestHTTP2 is served by TLS, with the same limits for bodies.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	s, trust := servingTLS(t, http.HandlerFunc(reads), Limits{Stall: 200 * time.Millisecond})
	asks := overHTTP2(t, trust)
	for _, test := range []struct {
		body   func() io.Reader
		status int
	}{
		{func() io.Reader { return strings.NewReader("abc") }, http.StatusOK},
		{func() io.Reader { stalls, _ := io.Pipe(); return stalls }, http.StatusRequestTimeout},
		{func() io.Reader { return strings.NewReader("abc") }, http.StatusOK},
	} {
		got, err := asks.Post("https://"+s.at, "text/plain", test.body())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, got.Body); err != nil { // a client that closes it earlier resets the stream
			t.Errorf("the answer cannot be read: %v", err)
		}
		_ = got.Body.Close()
		if got.StatusCode != test.status || got.ProtoMajor != 2 {
			t.Errorf("%s %d; want %d by HTTP/2", got.Proto, got.StatusCode, test.status)
		}
	}
	await(t, "the connections to be known as resting", func() bool {
		s.conns.mu.Lock()
		defer s.conns.mu.Unlock()
		for _, c := range s.conns.waits {
			if c.phase != idle {
				return false
			}
		}
		return len(s.conns.waits) == s.conns.open
	})
}
