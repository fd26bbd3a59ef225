//go:build !unix

package connection

import (
	"database/sql/driver"
	"syscall"
)

// alive returns true: this platform has no way to check a socket without reading from it.
func alive(syscall.RawConn) bool { return true }

func socketOf(driver.Conn) syscall.RawConn { return nil }
