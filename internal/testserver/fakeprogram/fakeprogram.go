// Package fakeprogram makes programs for tests of packages that look for installed programs.
package fakeprogram

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Folder returns a new folder with programs of the given names. Each is a shell script that runs
// line; an empty line does nothing. The test is skipped on Windows, which runs no shell scripts.
func Folder(tb testing.TB, line string, names ...string) string {
	tb.Helper()
	if runtime.GOOS == "windows" {
		tb.Skip("needs programs that are shell scripts")
	}
	folder := tb.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+line+"\n"), 0o755); err != nil { //nolint:gosec // a program is executable
			tb.Fatal(err)
		}
	}
	return folder
}
