//go:build unix

package httpserver

import (
	"errors"
	"net"
	"syscall"
)

// hungUp looks, without waiting and without reading, whether a connection has been
// ended, by its other side or by this one.
func hungUp(c net.Conn) bool {
	holder, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	socket, err := holder.SyscallConn()
	if err != nil {
		return false
	}
	n, peeked := 0, error(syscall.EAGAIN)
	// Control, not Read, which would wait for whoever reads.
	err = socket.Control(func(fd uintptr) {
		var b [1]byte
		n, _, peeked = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err != nil || n <= 0 && !errors.Is(peeked, syscall.EAGAIN) && !errors.Is(peeked, syscall.EWOULDBLOCK)
}
