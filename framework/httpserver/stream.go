package httpserver

import (
	"net/http"
	"slices"
	"time"
)

// A stream is an HTTP/2 request and the writer of its answer. A client may read
// everything on the connection but one answer. The writes of the connection do not show this,
// so the stream records since when its own answer waits.
type stream struct {
	http.ResponseWriter

	conn  *conn
	began time.Time
	since time.Time // when the last write of the answer began; conns.mu guards it
}

// piece is how many bytes of an answer are sent at once. A client that reads a long
// answer slowly still finishes such pieces, so it does not count as stuck.
const piece = 16 << 10

// Write sends a part of the answer, in pieces.
func (s *stream) Write(p []byte) (n int, err error) {
	for {
		part, sent := p[:min(len(p), piece)], 0
		s.recordSending(func() { sent, err = s.ResponseWriter.Write(part) })
		n += sent
		if p = p[len(part):]; err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// FlushError sends the buffered part of the answer. [http.ResponseController] calls it.
func (s *stream) FlushError() (err error) {
	s.recordSending(func() { err = http.NewResponseController(s.ResponseWriter).Flush() })
	return err
}

// Flush implements [http.Flusher].
func (s *stream) Flush() { _ = s.FlushError() }

// Unwrap returns the writer of net/http. [http.ResponseController] calls it.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// recordSending records that the answer waits for the client while give runs.
func (s *stream) recordSending(give func()) {
	s.conn.of.change(s.conn, func(c *conn) {
		s.since = c.of.now()
		c.unsent = append(c.unsent, s)
	})
	defer s.conn.of.change(s.conn, func(c *conn) {
		if at := slices.Index(c.unsent, s); at >= 0 {
			c.unsent = slices.Delete(c.unsent, at, at+1)
		}
	})
	give()
}

// end records that the handler ended. Only the end of the answer is still to be sent.
func (s *stream) end() {
	s.conn.of.change(s.conn, func(c *conn) {
		c.handlers--
		c.answered = c.active
		c.streams = slices.DeleteFunc(c.streams, func(one *stream) bool { return one == s })
		if len(c.streams) > 0 {
			c.of.beside--
			c.began = c.streams[0].began
		}
	})
}

// stream begins an HTTP/2 request. It returns nil if the connection is closed or there is no room
// for the request; full is true only in the second case.
func (c *conn) stream(w http.ResponseWriter) (watched *stream, full bool) {
	watched = &stream{ResponseWriter: w, conn: c}
	if begun, full := c.of.begin(watched); !begun {
		return nil, full
	}
	return watched, false
}

// begin admits an HTTP/2 request. The first request of a connection needs no room of its
// own. All further requests share as much room as there is for connections. One
// connection may take at most as much of it as remains for the others (dynamic
// thresholds, as in shared-memory switches). No connection is closed to make room for
// them. begun is false if the connection is closed or there is no room; full is true only in the
// second case.
func (cs *conns) begin(s *stream) (begun, full bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := s.conn
	s.began = cs.now()
	switch has := len(c.streams); {
	case c.gone:
		return false, false
	case has == 0:
		c.began = s.began
	case has-1 >= cs.limit-cs.beside:
		cs.rejected++
		return false, true
	default:
		cs.beside++
	}
	c.streams, c.many = append(c.streams, s), true
	c.recordHandler()
	cs.settle(c)
	return true, false
}

// reject answers 503 to an HTTP/2 request without room, and logs a warning at most once a second.
// The answer has no body, because a client can leave a body unread.
func (s *Server) reject(w http.ResponseWriter) {
	if s.warned.due(time.Now()) {
		_, _, rejected := s.conns.counts()
		s.log.Warn("too many HTTP/2 requests at once; some are answered 503", "limit", s.conns.limit, "requests_since_start", rejected)
	}
	h := w.Header()
	h.Set("Retry-After", "1")
	h.Set("Content-Length", "0")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
}
