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
	since time.Time // when its client was given what it has not taken; conns.mu is the guard
}

// Write is part of the answer.
func (s *stream) Write(p []byte) (int, error) {
	s.conn.of.change(s.conn, s.waits)
	defer s.conn.of.change(s.conn, s.works)
	return s.ResponseWriter.Write(p)
}

// FlushError sends what is buffered, for [http.ResponseController].
func (s *stream) FlushError() error {
	s.conn.of.change(s.conn, s.waits)
	defer s.conn.of.change(s.conn, s.works)
	return http.NewResponseController(s.ResponseWriter).Flush()
}

// Unwrap is the writer, for [http.ResponseController].
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// waits notes that the client is given something, works that it took that.
func (s *stream) waits(c *conn) {
	s.since = c.of.now()
	c.unsent = append(c.unsent, s)
}

func (s *stream) works(c *conn) {
	if at := slices.Index(c.unsent, s); at >= 0 {
		c.unsent = slices.Delete(c.unsent, at, at+1)
	}
}

// end takes the stream's place back, when its handler has ended: it has been told
// by then that its client has taken the answer, or gone.
func (s *stream) end() {
	s.conn.of.change(s.conn, func(c *conn) {
		c.handlers--
		c.streams--
		c.of.streams--
		c.of.wake()
	})
}

// stream gives a request by HTTP/2 a place, if need be that of the connection that
// matters least; nil if there is none. So many requests by few connections hold no
// more than as many connections do.
func (c *conn) stream(w http.ResponseWriter) *stream {
	full, victim := c.of.begin(c)
	if victim != nil {
		_ = victim.Conn.Close()
	}
	if full {
		return nil
	}
	return &stream{ResponseWriter: w, conn: c}
}

// begin lets a request by HTTP/2 work. It is full without a place for it, else names
// the connection whose place it was, if any.
func (cs *conns) begin(c *conn) (full bool, victim *conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c.gone {
		return true, nil
	}
	if cs.open+cs.streams >= cs.limit {
		if victim = cs.victim(); victim == nil || victim == c {
			cs.refused++
			return true, victim
		}
	}
	c.streams++
	cs.streams++
	c.works(true)
	cs.settle(c)
	return false, victim
}

// refuse answers a stream for which there is no place: by its head alone, which a
// client cannot leave lying as it can a body.
func refuse(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Retry-After", "1")
	h.Set("Content-Length", "0")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
}
