//go:build unix

package sqldb

import (
	"io"
	"os"
	"syscall"
)

// The bytes of a file on which each connection of SQLite holds a shared lock: while it
// reads, or, if the database has a log, for as long as the connection is open.
// https://www.sqlite.org/fileformat.html#the_lock_byte_page
const (
	sharedFirst = 1<<30 + 2
	sharedSize  = 510
)

// heldElsewhere reports whether another process has the file open as a database, even if
// the file is not a valid one. It returns false if the file cannot be opened for writing,
// or if its locks cannot be read.
func heldElsewhere(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: sharedFirst, Len: sharedSize}
	err = syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock)
	return err == nil && lock.Type != syscall.F_UNLCK
}
