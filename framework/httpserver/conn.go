package httpserver

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// A conn is one connection with the phase in which it is.
type conn struct {
	net.Conn

	of     *conns
	unused atomic.Bool // between requests, and no byte of the next request was read

	lengths lengths

	// The mutex of conns guards the fields below.
	phase    phase
	since    time.Time // when the phase began; while a request is read, when the request began
	began    time.Time // when the oldest request under way began
	at       int       // its index in the order
	active   bool      // a request is under way
	many     bool      // several requests may be under way: it is HTTP/2
	answered bool      // a request was answered; the client may not have read the answer
	handlers int       // handlers that work and do not wait for their client
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

// Read records when a request begins.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && c.unused.Load() {
		c.of.change(c, (*conn).recordBytes)
	}
	c.lengths.read(p[:n])
	return n, err
}

// Write counts itself while it waits for the client.
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

// recordBytes records that bytes arrived. By HTTP/2 they need not belong to a request.
func (c *conn) recordBytes() {
	if c.unused.Store(false); !c.many {
		c.begin()
	}
}

// begin records that a request begins.
func (c *conn) begin() {
	c.unused.Store(false)
	if !c.active {
		c.active, c.began = true, c.of.now()
	}
}

// end records that all requests are answered. By HTTP/2 the end of the last answer is
// still to be written.
func (c *conn) end() {
	c.unused.Store(true)
	c.active, c.answered = false, c.many && c.answered
}

// enter records that a handler begins. It returns false if the connection is closed.
func (c *conn) enter() bool {
	return c == nil || c.of.change(c, (*conn).recordHandler)
}

// leave records that a handler ended, and if it read the whole body: net/http reads the
// rest before it sends the answer.
func (c *conn) leave(readAll bool) {
	if c != nil {
		c.of.change(c, func(c *conn) { c.handlers--; c.answered = readAll })
	}
}

// recordHandler counts one more handler that works, and records that the connection has no
// answered request whose answer the client may still have to read.
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

// connBelow returns the connection below TLS, or nil if another listener accepted it.
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
