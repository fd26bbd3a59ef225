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

// useMemory makes a folder in memory and sets it as the folder of temporary files, also for
// PostgreSQL. The temporary files of Go's builds stay in their folder. If the caller set
// TMPDIR, memory has too little space, or the folder cannot be made, it changes nothing. The
// caller must call remove at the end.
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
