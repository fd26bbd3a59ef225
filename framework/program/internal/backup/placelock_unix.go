//go:build unix

package backup

import (
	"errors"
	"os"
	"syscall"
)

// noFollow makes an open fail if the last part of the path is a link.
const noFollow = syscall.O_NOFOLLOW

// tryLock locks a file for this process. It returns false if another process has the lock. On a file
// system without locks it returns true.
func tryLock(f *os.File) bool {
	err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
	return !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EACCES)
}
