//go:build unix

package connection

import (
	"database/sql/driver"
	"net"
	"syscall"
)

// alive looks, without waiting, whether an idle connection has been closed
// from the other end: a restarted server leaves such sockets in the pool. Data
// nobody asked for is a server's last words, so it too means the end.
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

// socketOf is the socket below a connection, nil if there is none to look at.
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
