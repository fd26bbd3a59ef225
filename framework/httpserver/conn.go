package httpserver

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// A conn is a connection and its phase.
type conn struct {
	net.Conn

	of     *conns
	unused atomic.Bool // between requests, and no byte of the next request was read

	lengths lengths

	// The mutex of conns guards the fields below.
	phase    phase
	since    time.Time // orders the connections of a phase, see settle
	began    time.Time // when the oldest request under way began
	at       int       // its index in the order
	active   bool      // a request is under way, or the connection is new
	many     bool      // several requests may be under way: it is HTTP/2
	answered bool      // a request was answered; the client may not have read the answer
	handlers int       // handlers under way that do not wait for their client to send
	pausing  int       // handlers that wait for their client to send
	writes   int       // writes that wait for the client
	streams  []*stream // HTTP/2 requests under way, the oldest first
	unsent   []*stream // streams whose answer waits for the client, the oldest first
	gone     bool      // it is closed or about to be closed
}

// waitsFor computes the phase.
func (c *conn) waitsFor() phase {
	switch {
	case c.writes > 0 || len(c.unsent) > 0:
		return sending
	case c.handlers > 0:
		return working
	case c.pausing > 0:
		return reading
	case c.answered:
		return sending
	case c.active:
		return reading
	}
	return idle
}

// Read reads from the connection. It records when a request begins, and lines that begin with
// Content-Length.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && c.unused.Load() {
		c.of.change(c, (*conn).recordBytes)
	}
	c.lengths.read(p[:n])
	return n, err
}

// Write writes to the connection, and counts as a write that waits for the client until it
// returns.
func (c *conn) Write(p []byte) (int, error) {
	c.of.change(c, func(c *conn) { c.writes++ })
	n, err := c.Conn.Write(p)
	c.of.change(c, func(c *conn) {
		if c.writes--; c.many && !c.active { // this was the end of its last answer
			c.answered = false
		}
	})
	return n, err
}

// Close closes the connection and makes room for another one.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.of.forget(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite closes the sending side, if the connection has one. net/http calls it before
// it closes a connection whose client still sends.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// recordBytes records that bytes arrived. With HTTP/1 they begin a request. With HTTP/2 they need
// not belong to one.
func (c *conn) recordBytes() {
	if c.unused.Store(false); !c.many {
		c.begin()
	}
}

// begin records that a request begins, unless one is under way.
func (c *conn) begin() {
	c.unused.Store(false)
	if !c.active {
		c.active, c.began = true, c.of.now()
	}
}

// end records that all requests are answered. With HTTP/2 the end of the last answer may still
// have to be written.
func (c *conn) end() {
	c.unused.Store(true)
	c.active, c.answered = false, c.many && c.answered
}

// enter records that a handler begins. It returns false if the connection is closed. For a nil
// conn it records nothing and returns true.
func (c *conn) enter() bool {
	return c == nil || c.of.change(c, (*conn).recordHandler)
}

// leave records that a handler ended. The request counts as answered if its body was read to the
// end. Otherwise net/http first reads the rest of the body.
func (c *conn) leave(readAll bool) {
	if c != nil {
		c.of.change(c, func(c *conn) { c.handlers--; c.answered = readAll })
	}
}

// recordHandler counts one more handler that works. It clears answered: earlier answers do not
// count while a new request is under way.
func (c *conn) recordHandler() {
	c.handlers++
	c.answered = false
}

// pause records that a handler waits for its client to send.
func (c *conn) pause() {
	if c != nil {
		c.of.change(c, func(c *conn) { c.handlers--; c.pausing++ })
	}
}

// resume records that a handler works again after [conn.pause].
func (c *conn) resume() {
	if c != nil {
		c.of.change(c, func(c *conn) { c.handlers++; c.pausing-- })
	}
}

// recordState is the ConnState hook of net/http.
func recordState(of net.Conn, state http.ConnState) {
	c := connBelow(of)
	if c == nil {
		return
	}
	switch state {
	case http.StateActive:
		c.of.change(c, (*conn).begin)
	case http.StateIdle:
		c.of.change(c, (*conn).end)
	case http.StateHijacked:
		c.enter() // the handler keeps the connection until it closes it
	case http.StateNew, http.StateClosed: // the listener and Close record these
	}
}

// connBelow returns the conn that a connection is, or that is below its TLS. It returns nil if
// another listener accepted the connection.
func connBelow(of net.Conn) *conn {
	if secure, ok := of.(*tls.Conn); ok {
		of = secure.NetConn()
	}
	c, _ := of.(*conn)
	return c
}

// connKey is the key of the connection in the context of a request.
type connKey struct{}

func withConn(ctx context.Context, of net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, connBelow(of))
}

func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}
