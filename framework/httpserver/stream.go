package httpserver

import (
	"net/http"
	"slices"
	"time"
)

// A stream is a request by HTTP/2. Its client may take nothing of the answer though it
// takes all else that comes by the connection, which then seems well: so it is the
// answer that is watched. It writes the answer.
type stream struct {
	http.ResponseWriter

	conn  *conn
	began time.Time
	since time.Time // when its client was given what it has not taken; conns.mu is the guard
}

// piece is as much of an answer as a client is given at once: it has not stopped
// taking a long one while it takes such parts of it.
const piece = 16 << 10

// Write is part of the answer.
func (s *stream) Write(p []byte) (n int, err error) {
	for {
		part, sent := p[:min(len(p), piece)], 0
		s.sends(func() { sent, err = s.ResponseWriter.Write(part) })
		n += sent
		if p = p[len(part):]; err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// FlushError sends what is buffered, for [http.ResponseController].
func (s *stream) FlushError() (err error) {
	s.sends(func() { err = http.NewResponseController(s.ResponseWriter).Flush() })
	return err
}

// Flush implements [http.Flusher].
func (s *stream) Flush() { _ = s.FlushError() }

// Unwrap is the writer, for [http.ResponseController].
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// sends notes that the client is given something, until it has taken that.
func (s *stream) sends(give func()) {
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

// end is when the handler has ended. All but the very end of the answer has been
// taken; that is still to be sent, unless the stream ended first.
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

// stream lets a request by HTTP/2 work; nil if its connection has gone, or is told that
// there is no place for it.
func (c *conn) stream(w http.ResponseWriter) (watched *stream, full bool) {
	watched = &stream{ResponseWriter: w, conn: c}
	if begun, full := c.of.begin(watched); !begun {
		return nil, full
	}
	return watched, false
}

// begin gives a request by HTTP/2 a place. The first of a connection has the
// connection's. For those beside it there are as many more, of which a connection may
// have as many as are left then: one that has many leaves as many to others, and of
// several who do each has less (dynamic thresholds, as in shared switches). Nobody is
// closed for them. It has not begun if the connection has gone, or there is none left.
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
		cs.refused++
		return false, true
	default:
		cs.beside++
	}
	c.streams, c.many = append(c.streams, s), true
	c.works()
	cs.settle(c)
	return true, false
}

// refuse answers a stream for which there is no place: by its head alone, which a
// client cannot leave lying as it can a body.
func (s *Server) refuse(w http.ResponseWriter) {
	if s.told.due(time.Now()) {
		_, _, refused := s.conns.counts()
		s.log.Warn("there are too many requests by HTTP/2 at once; some are answered 503", "limit", s.conns.limit, "requests_since_start", refused)
	}
	h := w.Header()
	h.Set("Retry-After", "1")
	h.Set("Content-Length", "0")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
}
