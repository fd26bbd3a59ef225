package backup

import (
	"errors"
	"fmt"
	"os"
)

// A placeLock makes this process the only one that writes parts of a file. The operating system
// releases the lock of a process that ends. Where files have no such locks, as on Windows, it
// excludes no other process.
type placeLock struct{ file *os.File }

// lockSuffix is the end of the name of the file that is locked, beside the file that is written.
const lockSuffix = ".part.lock"

// lockPlace locks a file that is to be written. If another process has the lock, it returns an
// error at once.
func lockPlace(place string) (placeLock, error) {
	for {
		f, err := os.OpenFile(place+lockSuffix, os.O_CREATE|os.O_RDWR|noFollow, 0o600)
		if err != nil {
			return placeLock{}, err
		}
		if !tryLock(f) {
			return placeLock{}, errors.Join(fmt.Errorf("another process is writing %s; wait until it ends", place), f.Close())
		}
		if isOpenFile(f) {
			return placeLock{f}, nil
		}
		if err := f.Close(); err != nil { // the process that had the lock removed the file meanwhile
			return placeLock{}, err
		}
	}
}

// isOpenFile reports whether the name of an open file is still that of the same file.
func isOpenFile(f *os.File) bool {
	opened, err := f.Stat()
	named, gone := os.Lstat(f.Name())
	return err == nil && gone == nil && os.SameFile(opened, named)
}

// release removes the locked file and releases the lock.
func (l placeLock) release() {
	_ = os.Remove(l.file.Name()) // first, because another process may lock the file afterwards
	_ = l.file.Close()
}
