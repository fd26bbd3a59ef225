package postgres

import (
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"net"
	"reflect"
	"sync/atomic"
	"syscall"

	"github.com/uptrace/bun/driver/pgdriver"
)

// listening is a socket that counts in heard each read that returns data.
type listening struct {
	net.Conn

	heard *atomic.Uint64
	host  int // to which of the hosts of the URL it leads
}

func (l *listening) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if n > 0 {
		l.heard.Add(1)
	}
	return n, err
}

// SyscallConn returns the socket itself, which package connection checks.
func (l *listening) SyscallConn() (syscall.RawConn, error) {
	if c, ok := l.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

// hostOf returns the index of the host of the URL to which a connection leads, 0 if that is
// unknown.
func hostOf(c driver.Conn) int {
	socket := c.(*pgdriver.Conn).Conn()
	if secret, ok := socket.(*tls.Conn); ok {
		socket = secret.NetConn()
	}
	if l, ok := socket.(*listening); ok {
		return l.host
	}
	return 0
}

// LocalPort returns the local port of a connection, 0 for a Unix socket and for a connection
// of another driver.
func LocalPort(c driver.Conn) int64 {
	made, ok := c.(*pgdriver.Conn)
	if !ok {
		return 0
	}
	if from, ok := made.Conn().LocalAddr().(*net.TCPAddr); ok {
		return int64(from.Port)
	}
	return 0
}

// ProcessID returns the number of the process that answered when a connection was made, 0 for a
// connection of another driver. A pooler gives its clients other numbers than those of
// PostgreSQL. The driver has no function for it.
func ProcessID(c driver.Conn) int64 {
	made, ok := c.(*pgdriver.Conn)
	if !ok {
		return 0
	}
	if id := reflect.ValueOf(made).Elem().FieldByName("processID"); id.IsValid() && id.CanInt() {
		return id.Int()
	}
	return 0
}
