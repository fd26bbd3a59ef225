package main

import "golang.org/x/sys/unix"

const (
	memoryFolder = "/dev/shm"
	// memoryNeeded is the space that the tests of the whole project need, with room to spare.
	memoryNeeded = 8 << 30
)

// hasMemory reports whether memoryFolder is a file system with enough free space.
func hasMemory() bool {
	var s unix.Statfs_t
	return unix.Statfs(memoryFolder, &s) == nil && s.Bavail*uint64(s.Bsize) >= memoryNeeded //nolint:gosec // a block size is positive
}
