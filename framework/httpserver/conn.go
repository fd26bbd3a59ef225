package httpserver

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// A conn is one connection, of which is known what it waits for.
type conn struct {
	net.Conn

	of     *conns
	unused atomic.Bool // it is between requests, and nothing of the next one came

	lengths lengths

	// Of what follows the mutex of conns is the guard.
	phase    phase
	since    time.Time // when the phase began; of a request that is read, when it did
	began    time.Time // when the request began; of several, the first that is under way
	at       int       // its place in the order
	active   bool      // a request is on its way
	many     bool      // several may be, as by HTTP/2
	answered bool      // it was answered, but perhaps not taken
	handlers int       // that work, and do not wait for their client
	pausing  int       // that wait for their client
	writes   int       // that wait for the client
	streams  []*stream // requests by HTTP/2 that are under way, the first for longest
	unsent   []*stream // of those, the ones that wait for the client; the first for longest
	gone     bool
}

// waitsFor tells the phase.
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

// Read notes where a request begins.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && c.unused.Load() {
		c.of.change(c, (*conn).reads)
	}
	c.lengths.read(p[:n])
	return n, err
}

// Write notes while the client does not take it.
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

// Close gives its place back.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.of.forget(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite tells the client that nothing more comes, where that can be told:
// net/http does so before it closes a connection whose client still sends.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// reads notes that something comes, which by HTTP/2 need not be a request.
func (c *conn) reads() {
	if c.unused.Store(false); !c.many {
		c.begin()
	}
}

// begin notes that a request begins.
func (c *conn) begin() {
	c.unused.Store(false)
	if !c.active {
		c.active, c.began = true, c.of.now()
	}
}

// end notes that all requests are answered. By HTTP/2 the last one's end is about to
// be written.
func (c *conn) end() {
	c.unused.Store(true)
	c.active, c.answered = false, c.many && c.answered
}

// enter notes that a handler works, and is false if the connection has gone; leave that
// it ended, and whether it read all that was sent to it: net/http waits for the rest
// before it answers.
func (c *conn) enter() bool {
	return c == nil || c.of.change(c, (*conn).works)
}

func (c *conn) leave(readAll bool) {
	if c != nil {
		c.of.change(c, func(c *conn) { c.handlers--; c.answered = readAll })
	}
}

// works notes that a handler works.
func (c *conn) works() {
	c.handlers++
	c.answered = false
}

// pause notes that a handler waits for its client to send, resume that it works
// again.
func (c *conn) pause() {
	if c != nil {
		c.of.change(c, func(c *conn) { c.handlers--; c.pausing++ })
	}
}

func (c *conn) resume() {
	if c != nil {
		c.of.change(c, func(c *conn) { c.handlers++; c.pausing-- })
	}
}

// changed is told by net/http what becomes of a connection.
func changed(of net.Conn, state http.ConnState) {
	c := tracked(of)
	if c == nil {
		return
	}
	switch state {
	case http.StateActive:
		c.of.change(c, (*conn).begin)
	case http.StateIdle:
		c.of.change(c, (*conn).end)
	case http.StateHijacked:
		c.enter() // it is the handler's for good
	case http.StateNew, http.StateClosed: // that is known by its listener and its Close
	}
}

// tracked is the connection below TLS; nil if it is of no listener of ours.
func tracked(of net.Conn) *conn {
	if secure, ok := of.(*tls.Conn); ok {
		of = secure.NetConn()
	}
	c, _ := of.(*conn)
	return c
}

// connKey finds the connection of a request in its context.
type connKey struct{}

func withConn(ctx context.Context, of net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, tracked(of))
}

func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}
