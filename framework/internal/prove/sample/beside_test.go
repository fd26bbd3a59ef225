package sample_test

import (
	"testing"

	"trestle.example/framework/internal/prove/sample"
)

// TestBeside checks that values beside another one have its form.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		what, value string
		by          int
		want        string
	}{
		{"a number", "41", 1, "42"},
		{"a number below 0", "-1", 2, "1"},
		{"a text", "swfaglirbehs", 1, "swfaglirbeht"},
		{"a text that ends with the last letter", "swfaglirbehz", 2, "swfaglirbehb"},
		{"capital letters", "ABZ", 1, "ABA"},
		{"a telephone number", "+15550001119", 1, "+15550001110"},
		{"a mail address", "swfaglirbe@example.com", 1, "swfaglirbf@example.com"},
		{"a UUID", "0198c2f0-7d3a-7c11-9d2e-3f6a1b2c4d5f", 1, "0198c2f0-7d3a-7c11-9d2e-3f6a1b2c4d50"},
		{"a text without a letter at its end", "[]", 1, "[]"},
		{"no text", "", 1, ""},
	} {
		if got := sample.Beside(c.value, c.by); got != c.want {
			t.Errorf("%s: %q is beside %q; want %q", c.what, got, c.value, c.want)
		}
	}
}
