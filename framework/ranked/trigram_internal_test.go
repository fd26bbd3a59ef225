package ranked

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTrigrams(t *testing.T) {
	for word, want := range map[string]string{
		"":     "   ",
		"a":    "  a| a ",
		"dal":  "  d| da|dal|al ",
		"aaaa": "  a| aa|aaa|aaa|aa ",
		"दही":  "  द| दह|दही|ही ",
	} {
		if got := strings.Join(trigrams(word), "|"); got != want {
			t.Errorf("trigrams of %q are %q, want %q", word, got, want)
		}
	}
}

// TestNearness checks the arithmetic of the package comment.
func TestNearness(t *testing.T) {
	for _, c := range []struct {
		name, asked, known string
		want               score
		near               bool
	}{
		{"the same", "dal", "dal", score{4, 4}, true},
		{"a letter too many", "attta", "atta", score{5, 6}, true},
		{"a letter too few", "basmti", "basmati", score{5, 10}, true},
		{"a letter doubled", "daal", "dal", score{3, 6}, true},
		{"another letter at the end", "milc", "milk", score{3, 6}, true},
		{"a misspelt beginning", "strabe", "strawberry", score{4, 9}, true},
		{"a beginning alone does not match a short word", "panner", "pancake", score{3, 10}, true},
		{"the intended word is nearer", "panner", "paneer", score{4, 10}, true},
		{"two swapped letters in a short word", "mlik", "milk", score{1, 8}, false},
		{"nothing in common", "xyz", "dal", score{0, 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := nearness(c.asked, c.known); got != c.want || got.nearEnough() != c.near {
				t.Errorf("%s is %d/%d near %s, want %d/%d", c.known, got.common, got.all, c.asked, c.want.common, c.want.all)
			}
		})
	}
}

// TestFewestCommon: the database excludes no word that is near enough.
func TestFewestCommon(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 1, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		asked, known := letters.Draw(t, "asked"), letters.Draw(t, "known")
		distinct := slices.Compact(slices.Sorted(slices.Values(trigrams(asked))))
		common := 0
		for _, gram := range distinct {
			if slices.Contains(trigrams(known), gram) {
				common++
			}
		}
		if got := nearness(asked, known); got.nearEnough() && common < fewestCommon(len(distinct)) {
			t.Errorf("%s is near %s with %d in common, but %d are required", known, asked, common, fewestCommon(len(distinct)))
		}
	})
}

func TestNearestOf(t *testing.T) {
	for _, c := range []struct{ name, asked, want string }{
		{"the nearest", "panner", "paneer"},
		{"the first of equals", "safrn", "safari"},
		{"nothing near", "xyz", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := []string{"saffron", "safari", "saffran", "pancake", "paneer"}
			for range 2 { // in either order
				got, ok := nearestOf(c.asked, known)
				if got != c.want || ok != (c.want != "") {
					t.Errorf("nearest to %q is %q, want %q", c.asked, got, c.want)
				}
				slices.Reverse(known)
			}
		})
	}
}
