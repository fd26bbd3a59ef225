package config

import (
	"testing"
)

// TestNames are used in texts, and variables begin with them.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[Name]string{
		"trestle":  "trestle serve reads TRESTLE_ADDR",
		"library":  "library serve reads LIBRARY_ADDR",
		"my-shop2": "my-shop2 serve reads MY_SHOP2_ADDR",
	} {
		if got := name.Text("{program} serve reads {PROGRAM}_ADDR"); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
