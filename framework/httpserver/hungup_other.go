//go:build !unix

package httpserver

import "net"

// hungUp never says so: this platform has no way to look at a socket without
// reading from it.
func hungUp(net.Conn) bool { return false }
