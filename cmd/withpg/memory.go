package main

import (
	"fmt"
	"io"
	"os"
)

const (
	temporary      = "TMPDIR"
	buildTemporary = "GOTMPDIR"
)

// useMemory makes a folder in memory the one for temporary files, also for PostgreSQL, and
// keeps those of Go's builds where they were. If the caller set TMPDIR, or memory has too
// little space, it changes nothing. The caller must call remove at the end.
func useMemory(stderr io.Writer) (remove func()) {
	if given(temporary) || !hasMemory() {
		return func() {}
	}
	folder, err := os.MkdirTemp(memoryFolder, "withpg")
	if err == nil {
		err = os.Chmod(folder, 0o777|os.ModeSticky) // PostgreSQL may run as another user
	}
	if err != nil {
		fmt.Fprintln(stderr, "withpg:", err)
		return func() {}
	}
	if !given(buildTemporary) {
		os.Setenv(buildTemporary, os.TempDir())
	}
	os.Setenv(temporary, folder)
	return func() {
		if err := os.RemoveAll(folder); err != nil {
			fmt.Fprintln(stderr, "withpg:", err)
		}
	}
}
