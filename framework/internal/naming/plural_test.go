package naming_test

import (
	"testing"

	"trestle.example/framework/internal/naming"
)

// TestSingular: a noun that is only an ending stays.
func TestSingular(t *testing.T) {
	for noun, want := range map[string]string{"categories": "category", "boxes": "box", "s": "s", "news": "news"} {
		if got := naming.Singular(noun); got != want {
			t.Errorf("the singular of %s is %q; want %q", noun, got, want)
		}
	}
}
