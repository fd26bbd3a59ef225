package httpserver

import (
	"errors"
	"net"
	"sync"
	"syscall"
)

// A listener accepts connections within the limit of conns.
type listener struct {
	net.Listener

	conns  *conns
	close  func() error
	closed chan struct{}
}

func (cs *conns) listen(on net.Listener) *listener {
	l := &listener{Listener: on, conns: cs, closed: make(chan struct{})}
	l.close = sync.OnceValue(func() error {
		close(l.closed)
		return on.Close()
	})
	return l
}

// Accept returns the next connection. At the limit it first closes another one, or waits until
// it may close one or one ends. If no more files can be opened, it closes a connection, if it
// may close one, and returns the error; net/http then tries again. If the listener is closed
// during the wait, the error wraps [net.ErrClosed].
func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			l.conns.evict()
		}
		return nil, err
	}
	c := &conn{Conn: accepted, of: l.conns}
	if !l.conns.admit(c, l.closed) {
		return nil, errors.Join(net.ErrClosed, accepted.Close())
	}
	return c, nil
}

// Close closes the listener and ends the wait for room.
func (l *listener) Close() error { return l.close() }
