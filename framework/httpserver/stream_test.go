package httpserver

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A byHTTP2 is a connection whose frames are written by hand, and from which nothing is
// read.
type byHTTP2 struct {
	net.Conn

	t *testing.T
}

// speaksHTTP2 connects.
func (s *served) speaksHTTP2(trust *tls.Config) *byHTTP2 {
	s.t.Helper()
	trust = trust.Clone()
	trust.NextProtos = []string{"h2"}
	c, err := tls.Dial("tcp", s.at, trust)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	go func() { _, _ = io.Copy(io.Discard, c) }()
	by := &byHTTP2{c, s.t}
	by.sends([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	by.sends(frame(4, 0, 0, 0, 4, 0, 0, 0, 0)) // a window of 0: no byte of an answer is read
	return by
}

func (c *byHTTP2) sends(text []byte) {
	c.t.Helper()
	if _, err := c.Write(text); err != nil {
		c.t.Error(err)
	}
}

// frame returns a frame of RFC 9113, section 4.1.
func frame(kind, flags byte, stream uint32, payload ...byte) []byte {
	head := []byte{0, 0, byte(len(payload)), kind, flags}
	return append(binary.BigEndian.AppendUint32(head, stream), payload...)
}

// takesNothing sends requests on one connection and reads no byte of the bodies of their
// answers (RFC 9113, section 6.9.2: a window of 0). It reads everything else.
func (s *served) takesNothing(trust *tls.Config, streams int) {
	s.t.Helper()
	var said []byte
	for i := range streams {
		said = append(said, frame(1, 5, uint32(2*i+1), 0x82, 0x87, 0x84, 0x41, 1, 'x')...) // GET / of the host x
	}
	s.speaksHTTP2(trust).sends(said)
}

// TestClientsByHTTP2ThatReadNothing do not keep other clients out, with long or short
// answers.
func TestClientsByHTTP2ThatReadNothing(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"a long answer, longer than any buffer": 64 << 10, "a short answer, which is buffered": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 8
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("x"), size)) })
			s, trust := servingTLS(t, handler, Limits{Conns: limit, Write: time.Hour})
			for range limit {
				s.takesNothing(trust, 1)
			}
			await(t, "every place to be taken", func() bool {
				s.conns.mu.Lock()
				defer s.conns.mu.Unlock()
				return s.conns.open == limit && len(s.conns.waits) == limit && s.conns.waits[0].phase == sending
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

// TestAConnectionByHTTP2ThatIsNotRead ends, and so do the handlers that write to it.
func TestAConnectionByHTTP2ThatIsNotRead(t *testing.T) {
	t.Parallel()
	var ended atomic.Int64
	s, trust := servingTLS(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer ended.Add(1)
		part := make([]byte, 64<<10)
		for {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}), Limits{Header: endless, Read: endless, Write: 2 * time.Second, Idle: endless}) // long enough for a handshake
	trust = trust.Clone()
	trust.NextProtos = []string{"h2"}
	c, err := tls.Dial("tcp", s.at, trust)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	by := &byHTTP2{c, t}
	by.sends([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	by.sends(frame(4, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff)) // a large window: it would accept everything,
	by.sends(frame(8, 0, 0, 0x7f, 0, 0, 0))
	for asked := range int64(10) { // until no buffer has room
		if s.Stats().Conns == 0 {
			return
		}
		_, _ = c.Write(frame(1, 5, uint32(2*asked+1), 0x82, 0x87, 0x84, 0x41, 1, 'x')) // the connection may be closed already
		await(t, "the handler or the connection to end", func() bool { return ended.Load() > asked || s.Stats().Conns == 0 })
	}
	t.Error("all bytes of 10 answers fit into buffers")
}

// TestRequestsByHTTP2ShareTheLimit: many requests on few connections have no more answers
// under way than the limit of connections, in addition to the first of each connection.
// Further requests are answered 503 and use no resources.
func TestRequestsByHTTP2ShareTheLimit(t *testing.T) {
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
	await(t, "all others to be refused", func() bool { return s.Stats().Refused == streams-1-limit/2 })
	if n := most.Load(); n > 1+limit/2 {
		t.Errorf("%d requests of one connection were under way at once; want its first and %d more", n, limit/2)
	}
}

// TestADeclaredLengthOfZeroIsNotTrusted: a client that does not end its request keeps no other
// client waiting, whatever length it declares.
func TestADeclaredLengthOfZeroIsNotTrusted(t *testing.T) {
	t.Parallel()
	s, trust := servingTLS(t, http.HandlerFunc(reads), Limits{Conns: 3, Stall: time.Hour, Grace: time.Hour, Read: time.Hour})
	for i, length := range []string{"0", "x"} {
		c := s.speaksHTTP2(trust)
		said := []byte{0x83, 0x87, 0x84, 0x41, 1, 'x', 0x0f, 13, byte(len(length))} // POST / of the host x, content-length
		c.sends(frame(1, 4, 1, append(said, length...)...))
		await(t, "its body to be waited for", func() bool {
			s.conns.mu.Lock()
			defer s.conns.mu.Unlock()
			waits := 0
			for _, c := range s.conns.waits {
				waits += c.pausing
			}
			return waits == i+1
		})
	}
	got, err := overHTTP2(t, trust).Post("https://"+s.at, "text/plain", strings.NewReader("abc"))
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	if got.StatusCode != http.StatusOK {
		t.Errorf("another is answered %s", got.Status)
	}
}

// TestARequestOfAClosedConnection is not answered, above all not with 200.
func TestARequestOfAClosedConnection(t *testing.T) {
	t.Parallel()
	s := New(said("good"), Options{})
	near, _ := net.Pipe()
	r := httptest.NewRequestWithContext(withConn(t.Context(), &conn{Conn: near, of: s.conns, gone: true}), http.MethodPost, "/", http.NoBody)
	r.ProtoMajor = 2
	defer func() {
		if recovered := recover(); recovered != http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
			t.Errorf("it ends with %v; want the panic that aborts it", recovered)
		}
	}()
	s.serve(httptest.NewRecorder(), r)
}

// TestAStreamThatIsResetLeavesNothing: its connection becomes idle.
func TestAStreamThatIsResetLeavesNothing(t *testing.T) {
	t.Parallel()
	s, trust := servingTLS(t, said("good"), Limits{})
	const clients = 100
	for range clients {
		s.speaksHTTP2(trust).sends(append(frame(1, 5, 1, 0x82, 0x87, 0x84, 0x41, 1, 'x'), frame(3, 0, 1, 0, 0, 0, 8)...))
	}
	rest := func() (n int) {
		s.conns.mu.Lock()
		defer s.conns.mu.Unlock()
		for _, c := range s.conns.waits {
			if c.many && c.phase == idle {
				n++
			}
		}
		return n
	}
	// About one in a hundred is reset at the moment when its answer ends.
	await(t, "their connections to rest", func() bool { return rest() > clients*9/10 })
}

// TestARejectedStream is answered with Retry-After.
func TestARejectedStream(t *testing.T) {
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
			<-b.entered // all requests for which there is room
		}
	}
	if got := <-answers; got != "503 1" {
		t.Errorf("a request without room is answered %q", got)
	}
	for range limit - 1 {
		b.let <- struct{}{}
	}
	for range limit - 1 {
		if got := <-answers; got != "200 " {
			t.Errorf("another is answered %q", got)
		}
	}
}

// TestAConnectionWithManyRequestsByHTTP2 leaves room for others, and closes no connection.
func TestAConnectionWithManyRequestsByHTTP2(t *testing.T) {
	t.Parallel()
	cs := newConns(12)
	opens := func() *conn {
		near, _ := net.Pipe()
		c := &conn{Conn: near, of: cs}
		cs.enter(c)
		return c
	}
	asks := func(c *conn) (granted int) {
		for {
			if begun, _ := cs.begin(&stream{conn: c}); !begun {
				return granted
			}
			granted++
		}
	}
	first, second, third, gone := opens(), opens(), opens(), opens()
	if a, b, c := asks(first), asks(second), asks(third); a != 1+6 || b != 1+3 || c != 1+2 {
		t.Errorf("the connections have %d, %d and %d requests under way; want 7, 4 and 3", a, b, c)
	}
	first.streams[0].end()
	if a, c := asks(first), asks(third); a != 0 || c != 0 {
		t.Errorf("with room for 2, a connection with 5 further requests gets %d more, and one with 2 gets %d", a, c)
	}
	cs.forget(first)
	for range 3 {
		second.streams[0].end()
	}
	second.streams[0].end()
	if b := asks(second); b != 1+5 || cs.beside != 2+5 {
		t.Errorf("when the first has ended, the second has %d requests under way, and %d are further requests; want 6, 7", b, cs.beside)
	}
	cs.forget(gone)
	if begun, full := cs.begin(&stream{conn: gone}); begun || full {
		t.Errorf("on a closed connection a request begins: %t, and the server is full: %t", begun, full)
	}
	if second.gone || third.gone {
		t.Error("a connection was closed for a request of another")
	}
}

// TestAnAnswerByHTTP2IsNotLost: a connection stays open until the answers of its handlers
// are sent, even if new clients arrive, unless a handler waits for a body.
func TestAnAnswerByHTTP2IsNotLost(t *testing.T) {
	t.Parallel()
	var worked, answered atomic.Int64
	s, trust := servingTLS(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		worked.Add(1)
		_, _ = io.WriteString(w, "done")
	}), Limits{Conns: 4})
	s.conns.mu.Lock()
	s.conns.now = func() time.Time { return time.Unix(1e9, 0) } // no client is too slow
	s.conns.mu.Unlock()
	over := make(chan struct{})
	var clients, newcomers sync.WaitGroup
	for range 2 {
		newcomers.Go(func() {
			var open [8]net.Conn
			for i := 0; ; i++ {
				select {
				case <-over:
					return
				default:
				}
				if last := open[i%len(open)]; last != nil {
					_ = last.Close()
				}
				open[i%len(open)] = s.dial()
			}
		})
		clients.Go(func() {
			asks := overHTTP2(t, trust)
			for answered.Load() < 300 && worked.Load() < 400 {
				got, err := asks.Get("https://" + s.at)
				if err != nil {
					continue // it was closed before its request arrived
				}
				body, err := io.ReadAll(got.Body)
				_ = got.Body.Close()
				if string(body) == "done" && err == nil {
					answered.Add(1)
				}
			}
		})
	}
	clients.Wait()
	close(over)
	newcomers.Wait()
	if answered.Load() != worked.Load() {
		t.Errorf("of %d handled requests %d were answered", worked.Load(), answered.Load())
	}
}
