//go:build unix

package httpserver

import (
	"math"
	"syscall"
)

// openFiles returns how many files the process may open, or 0 if that is unknown.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, math.MaxInt32)) // #nosec G115 -- it is at most that
}
