package httpserver

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// takesNothing asks for so many answers by one connection, of the body of which it
// takes not a byte (RFC 9113, section 6.9.2: a window of 0), though it reads all else.
func (s *served) takesNothing(trust *tls.Config, streams int) {
	s.t.Helper()
	trust = trust.Clone()
	trust.NextProtos = []string{"h2"}
	c, err := tls.Dial("tcp", s.at, trust)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	frame := func(kind, flags byte, stream uint32, payload ...byte) []byte {
		head := []byte{0, 0, byte(len(payload)), kind, flags}
		return append(binary.BigEndian.AppendUint32(head, stream), payload...)
	}
	said := append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, 0, 4, 0, 0, 0, 0)...)
	for i := range streams {
		said = append(said, frame(1, 5, uint32(2*i+1), 0x82, 0x87, 0x84, 0x41, 1, 'x')...) // GET / of the host x
	}
	if _, err := c.Write(said); err != nil {
		s.t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, c) }()
}

// TestClientsByHTTP2ThatTakeNothing keep out nobody, be their answers long or short.
func TestClientsByHTTP2ThatTakeNothing(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"of an answer that is longer than any buffer": 64 << 10, "of one that is buffered": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 8
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("x"), size)) })
			s, trust := servingTLS(t, handler, Limits{Conns: limit, Write: time.Hour})
			for range limit / 2 { // each takes two places: its own and its request's
				s.takesNothing(trust, 1)
			}
			await(t, "every place to be taken", func() bool {
				s.conns.mu.Lock()
				defer s.conns.mu.Unlock()
				return s.conns.open+s.conns.streams == limit
			})
			got, err := overHTTP2(t, trust).Get("https://" + s.at + "/livez")
			if err != nil {
				t.Fatal(err)
			}
			_ = got.Body.Close()
			if got.StatusCode != http.StatusOK || got.ProtoMajor != 2 {
				t.Errorf("another is answered %s %s", got.Proto, got.Status)
			}
		})
	}
}

// TestRequestsByHTTP2TakePlaces: one connection holds no more answers than there may be
// connections; what is more is refused, and of that nothing is held.
func TestRequestsByHTTP2TakePlaces(t *testing.T) {
	t.Parallel()
	const limit, streams = 20, 60
	var inside, most atomic.Int64
	s, trust := servingTLS(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for n := inside.Add(1); n > most.Load(); n = max(n, inside.Load()) {
			most.Store(n)
		}
		defer inside.Add(-1)
		_, _ = w.Write(make([]byte, 64<<10))
	}), Limits{Conns: limit, Write: time.Hour})
	s.takesNothing(trust, streams)
	await(t, "requests to be refused", func() bool { return s.Stats().Refused > 0 })
	if n := most.Load(); n > limit-1 {
		t.Errorf("%d requests were at work at once; want %d at most beside their connection", n, limit-1)
	}
}

// TestARefusedStream is told when to come again.
func TestARefusedStream(t *testing.T) {
	t.Parallel()
	const limit = 4
	b := newBlocker()
	s, trust := servingTLS(t, b, Limits{Conns: limit})
	asks := overHTTP2(t, trust)
	answers := make(chan string, limit)
	for i := range limit {
		go func() {
			got, err := asks.Get("https://" + s.at)
			if err != nil {
				answers <- err.Error()
				return
			}
			_ = got.Body.Close()
			answers <- fmt.Sprint(got.StatusCode, " ", got.Header.Get("Retry-After"))
		}()
		if i < limit-1 {
			<-b.entered // of as many as there are places beside the connection
		}
	}
	if got := <-answers; got != "503 1" {
		t.Errorf("one for which there is no place is told %q", got)
	}
	for range limit - 1 {
		b.let <- struct{}{}
	}
	for range limit - 1 {
		if got := <-answers; got != "200 " {
			t.Errorf("another is told %q", got)
		}
	}
}

// TestAPlaceThatAStreamGivesBack is told to who waits for one, and one whose
// connection has gone takes none of another's.
func TestAPlaceThatAStreamGivesBack(t *testing.T) {
	t.Parallel()
	cs := newConns(3)
	on, _ := net.Pipe()
	c := &conn{Conn: on, of: cs}
	cs.enter(c)
	watched := c.stream(nil)
	c.stream(nil) // by which it is at work after the first as well
	if admitted, victim := cs.enter(&conn{of: cs}); admitted || victim != nil {
		t.Fatalf("beside a connection and its requests one more is admitted: %t, in place of %v", admitted, victim)
	}
	watched.end()
	select {
	case <-cs.left:
	default:
		t.Error("nobody is told that there is room")
	}
	other := &conn{Conn: on, of: cs}
	if admitted, victim := cs.enter(other); !admitted || victim != nil {
		t.Errorf("another is admitted: %t, in place of %v", admitted, victim)
	}
	cs.forget(c)
	for range 2 {
		cs.enter(&conn{Conn: on, of: cs})
	}
	if full, victim := cs.begin(c); !full || victim != nil || other.gone {
		t.Errorf("a request by a connection that has gone finds no place: %t, and takes that of %v", full, victim)
	}
}
