// Package proving reports whether make prove runs the tests. It has hours for them; tests of every change are brief.
package proving

import (
	"os"
	"testing"
)

// Variable is the environment variable that is "1" in a run of make prove.
const Variable = "TRESTLE_PROVE"

// On reports whether this is a run of make prove.
func On() bool { return os.Getenv(Variable) == "1" }

// Only skips a test outside of make prove, because it takes too long for every change. does completes the
// sentence "The test ...", as in "kills servers".
func Only(tb testing.TB, does string) {
	tb.Helper()
	if !On() {
		tb.Skipf("set %s=1: the test %s", Variable, does)
	}
}

// Rounds returns how often a test repeats something: proved in a run of make prove, 1 with -short, and otherwise usual.
func Rounds(usual, proved int) int {
	switch {
	case On():
		return proved
	case testing.Short():
		return 1
	}
	return usual
}
