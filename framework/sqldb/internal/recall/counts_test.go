package recall

import (
	"strings"
	"testing"

	"trestle.example/framework/sqldb/internal/share"
)

// TestLongTextsAreNotKept: a text that is longer than most is made each time.
func TestLongTextsAreNotKept(t *testing.T) {
	for name, c := range map[string]struct {
		size int
		kept bool
	}{"as long as may be": {textKept, true}, "longer": {textKept + 1, false}} {
		t.Run(name, func(t *testing.T) {
			var counts Counts
			counts.Keep(share.Key{}, NewCount("of a commit", strings.Repeat("x", c.size)))
			if kept := counts.Of(share.Key{}).Value != nil; kept != c.kept {
				t.Errorf("it is kept: %t; want %t", kept, c.kept)
			}
		})
	}
}
