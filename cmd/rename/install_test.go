//go:build install

package main

import (
	"path/filepath"
	"testing"
)

// TestARenamedCopyBuilds compiles every package of the copy.
func TestARenamedCopyBuilds(t *testing.T) {
	t.Parallel()
	folder, _ := renamedCopy(t)
	goCommand(t, folder, "build", "./...")
	goCommand(t, folder, "vet", "./framework/filter", "./framework/program")
	goCommand(t, filepath.Join(folder, "examples", "standalone"), "build", "./...")
}
