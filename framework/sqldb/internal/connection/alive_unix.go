//go:build unix

package connection

import (
	"database/sql/driver"
	"net"
	"syscall"
)

// alive reports, without waiting, whether an idle connection is still open at
// the other end: a restarted server leaves closed sockets in the pool. A server that sends
// data without a request is about to close the connection, so alive returns false then too.
// For a nil socket it returns true.
func alive(socket syscall.RawConn) bool {
	if socket == nil {
		return true
	}
	var peeked error
	// Control, not Read: the deadline of the last statement may have passed.
	err := socket.Control(func(fd uintptr) {
		var b [1]byte
		_, _, peeked = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err == nil && (peeked == syscall.EAGAIN || peeked == syscall.EWOULDBLOCK)
}

// socketOf returns the socket of a connection, or nil if it has none.
func socketOf(c driver.Conn) syscall.RawConn {
	holder, ok := c.(interface{ Conn() net.Conn })
	if !ok {
		return nil
	}
	socket := holder.Conn()
	if wrapped, ok := socket.(interface{ NetConn() net.Conn }); ok {
		socket = wrapped.NetConn()
	}
	raw, ok := socket.(syscall.Conn)
	if !ok {
		return nil
	}
	opened, err := raw.SyscallConn()
	if err != nil {
		return nil
	}
	return opened
}
