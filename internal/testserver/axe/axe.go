// Package axe installs axe-core, the rules of accessibility by which tests check pages.
package axe

import (
	"embed"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"trestle.example/internal/testserver/nodejs"
)

// pinned states the version of axe-core and the hash of its archive.
//
//go:embed package.json package-lock.json
var pinned embed.FS

// Script installs axe-core with npm and returns its script. A browser that has evaluated the
// script has the function axe.run. The test fails if npm cannot install it.
func Script(tb testing.TB) string {
	tb.Helper()
	npm, folder := nodejs.NPM(tb), tb.TempDir()
	if err := os.CopyFS(folder, pinned); err != nil {
		tb.Fatal(err)
	}
	install := exec.CommandContext(tb.Context(), npm, "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	if printed, err := install.CombinedOutput(); err != nil {
		tb.Fatalf("npm ci: %v: %s", err, printed)
	}
	script, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		tb.Fatal(err)
	}
	return string(script)
}
