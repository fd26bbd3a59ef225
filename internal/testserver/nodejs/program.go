package nodejs

import (
	"errors"
	"os/exec"
	"testing"
)

// ErrNotInstalled states, in one sentence, what to do on a machine without Node.js.
var ErrNotInstalled = errors.New("no Node.js with npm was found in PATH: " +
	"install them (Debian: apt-get install npm; Fedora: dnf install nodejs-npm; macOS: brew install node)")

// NPM returns the path of the first npm in PATH, if there is a node, too. Otherwise the
// test fails at once with the reason. NPM is safe for concurrent use.
func NPM(tb testing.TB) string {
	tb.Helper()
	path, err := find()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

func find() (npm string, err error) {
	for _, name := range []string{"node", "npm"} {
		if npm, err = exec.LookPath(name); err != nil {
			return "", ErrNotInstalled
		}
	}
	return npm, nil
}
