package chromium

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// ErrNotInstalled states, in one sentence, what to do on a machine without a browser for
// tests.
var ErrNotInstalled = errors.New("no Chromium (chromium-headless-shell, chromium or google-chrome) was found in PATH: " +
	"install it (Debian: apt-get install chromium-headless-shell; Fedora: dnf install chromium; macOS: brew install --cask google-chrome), " +
	"or set TEST_BROWSER to the path of Chromium or Chrome")

// Program returns the path of the browser. If TEST_BROWSER is set, it is that one; else
// the first in PATH or in the folders of macOS. If there is none, the test fails at once
// with the reason. Program is safe for concurrent use.
func Program(tb testing.TB) string {
	tb.Helper()
	path, err := find(os.Getenv("TEST_BROWSER"))
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

func find(configured string) (string, error) {
	if configured = strings.TrimSpace(configured); configured != "" {
		path, err := exec.LookPath(configured)
		if err != nil {
			return "", fmt.Errorf("TEST_BROWSER does not name a program: %w", err)
		}
		return path, nil
	}
	for _, name := range []string{
		"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}
