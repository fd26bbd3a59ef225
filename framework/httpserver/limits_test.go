package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// soon is a limit that passes during a test, and endless is one that does not. A limit
// that is not set would use the value of another.
const (
	soon    = 20 * time.Millisecond
	endless = 60 * waitLimit
)

// ends waits until the server has closed the connection, whatever it sends before.
func (w *wire) ends() bool {
	_, err := io.Copy(io.Discard, w.answer)
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// goesOn sends a text again and again until it fails.
func (w *wire) goesOn(text string) {
	_ = w.SetWriteDeadline(time.Now().Add(waitLimit))
	for {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		<-time.After(time.Millisecond)
	}
}

// TestAHeadThatNeverEnds: the connection is closed, whether the client is silent or
// sends.
func TestAHeadThatNeverEnds(t *testing.T) {
	t.Parallel()
	limits := Limits{Header: soon, Read: endless, Write: endless, Idle: endless, HeaderBytes: 1 << 30}
	for name, send := range map[string]func(*wire){
		"nothing":             func(*wire) {},
		"half of a line":      func(w *wire) { w.says("GET / HT") },
		"no last line":        func(w *wire) { w.says("GET / HTTP/1.1\r\nHost: x\r\n") },
		"ever more of a line": func(w *wire) { w.says("GET / HTTP/1.1\r\nHost: x\r\na: ").goesOn("a") },
		"ever more lines":     func(w *wire) { w.says("GET / HTTP/1.1\r\nHost: x\r\n").goesOn("a: b\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, said("good"), Options{Limits: limits})
			w := s.dial()
			send(w)
			if !w.ends() {
				t.Error("the connection stays open")
			}
			await(t, "its place", func() bool { return s.Stats().Conns == 0 })
		})
	}
}

// TestTheSecondHeadThatNeverEnds, on a connection that was answered before.
func TestTheSecondHeadThatNeverEnds(t *testing.T) {
	t.Parallel()
	s := serving(t, said("good"), Options{Limits: Limits{Header: soon, Read: endless, Write: endless, Idle: endless}})
	var w *wire
	await(t, "a first answer in time", func() bool {
		w = s.dial()
		_, _ = io.WriteString(w, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		return w.next().status == http.StatusOK
	})
	w.says("GET / HTTP/1.1\r\n")
	if !w.ends() {
		t.Error("the connection stays open")
	}
}

// TestAConnectionWithoutRequests is closed, even if it was used before.
func TestAConnectionWithoutRequests(t *testing.T) {
	t.Parallel()
	s := serving(t, said("good"), Options{Limits: Limits{Header: endless, Read: endless, Write: endless, Idle: soon}})
	w := s.dial().says("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	w.next().is(t, http.StatusOK, "good")
	if !w.ends() {
		t.Error("the connection stays open")
	}
	await(t, "its place", func() bool { return s.Stats().Conns == 0 })
}

// TestAnUnreadAnswer: an unread answer ends for its handler and for its client.
func TestAnUnreadAnswer(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	s := serving(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		part := []byte(strings.Repeat("good", 64<<10))
		for {
			if _, err := w.Write(part); err != nil {
				ended <- err
				return
			}
		}
	}), Options{Limits: Limits{Header: endless, Read: endless, Write: soon, Idle: endless}})
	w := s.dial().says("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case <-ended:
	case <-time.After(waitLimit):
		t.Fatal("the handler still writes")
	}
	if !w.ends() {
		t.Error("the connection stays open")
	}
	await(t, "its place", func() bool { return s.Stats().Conns == 0 })
}

// A tongueTied client falls silent after its first bytes.
type tongueTied struct {
	net.Conn

	spoke bool
}

func (c *tongueTied) Write(p []byte) (int, error) {
	if c.spoke {
		return len(p), nil
	}
	c.spoke = true
	return c.Conn.Write(p)
}

// TestAHandshakeThatStalls: its connection is closed after the limit for a head.
func TestAHandshakeThatStalls(t *testing.T) {
	t.Parallel()
	certified, trusts := certificate(t)
	trusts.ServerName = "example.com" // the name in the certificate
	limits := Limits{Header: soon, Read: endless, Write: endless, Idle: endless}
	for name, send := range map[string]func(*wire){
		"nothing":                  func(*wire) {},
		"the beginning of a hello": func(w *wire) { w.says("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03") },
		"a hello alone": func(w *wire) {
			// The client may see either the end of the handshake or an error.
			_ = tls.Client(&tongueTied{Conn: w.Conn}, trusts).HandshakeContext(context.Background())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, said("good"), Options{Limits: limits, TLS: certified})
			w := s.dial()
			send(w)
			if !w.ends() {
				t.Error("the connection stays open")
			}
			await(t, "its place", func() bool { return s.Stats().Conns == 0 })
		})
	}
}
