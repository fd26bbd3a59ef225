package answers_test

import (
	"testing"

	"trestle.example/framework/internal/prove/answers"
)

// TestHasWhole: a text has a key only as a whole, and never an empty one.
func TestHasWhole(t *testing.T) {
	t.Parallel()
	const text = `/api/bids/112/take/ firm=7 {"into": 30, "note": "a-1 b_2", "mail": "ann@example.com"}`
	for key, want := range map[string]bool{
		"112": true, "7": true, "30": true, "a-1": true, "ann@example.com": true,
		"": false, "1": false, "12": false, "3": false, "0": false, "a": false, "2": false, "example.co": false, "8": false,
	} {
		if got := answers.HasWhole(text, key); got != want {
			t.Errorf("HasWhole(%q) is %v; want %v", key, got, want)
		}
	}
}
