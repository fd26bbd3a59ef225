package ranked

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDepths: which terms represent which beginnings.
func TestDepths(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields []Field
		want   string
	}{
		{"words without a beginning in common", []Field{{Text: "rice oil", Weight: 8}}, "1 =rice oil, 1 oil, 1 rice"},
		{"the shorter of equally heavy ones", []Field{{Text: "salted salt", Weight: 8}}, "1 =salted salt, 1 salt, 5 salted"},
		{"the first of equally heavy and long ones", []Field{{Text: "salz salt", Weight: 8}}, "1 =salz salt, 1 salt, 4 salz"},
		{"the heavier one", []Field{{Text: "salted", Weight: 8}, {Text: "salt sugar", Weight: 4}}, "1 =salted, 5 salt, 1 salted, 2 sugar"},
		{"a code beside a word", []Field{{Text: "dal", Weight: 1}, {Text: "dai-001", Weight: 2, Exact: true}}, "1 =dal, 1 001, 1 dai, 3 dal"},
		{"characters, not bytes", []Field{{Text: "दही दाल", Weight: 8}}, "1 =दही दाल, 1 दही, 2 दाल"},
	} {
		t.Run(c.name, func(t *testing.T) {
			terms, err := termsOf(c.fields)
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, term := range terms {
				list = append(list, fmt.Sprint(term.depth, " ", term.text))
			}
			if got := strings.Join(list, ", "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestOneTermRepresentsABeginning: exactly one word of a row represents each beginning. No
// other word is heavier. If the beginning itself is one of the heaviest words, it
// represents itself.
func TestOneTermRepresentsABeginning(t *testing.T) {
	word := rapid.StringOfN(rapid.SampledFrom([]rune("abé")), 1, 5, -1)
	rapid.Check(t, func(t *rapid.T) {
		var fields []Field
		for range rapid.IntRange(1, 4).Draw(t, "fields") {
			fields = append(fields, Field{Text: strings.Join(rapid.SliceOfN(word, 0, 4).Draw(t, "words"), " "), Weight: rapid.IntRange(1, 3).Draw(t, "weight")})
		}
		terms, err := termsOf(fields)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range terms {
			letters := []rune(one.text)
			for n := range letters {
				beginning := string(letters[:n+1])
				var standing, others []term
				for _, other := range terms {
					if strings.HasPrefix(other.text, beginning) {
						if others = append(others, other); other.depth <= n+1 {
							standing = append(standing, other)
						}
					}
				}
				if len(standing) != 1 {
					t.Fatalf("%v represent %q among %v", standing, beginning, others)
				}
				for _, other := range others {
					if other.weight > standing[0].weight || other.weight == standing[0].weight && other.text == beginning && standing[0].text != beginning {
						t.Errorf("%v represents %q, and not %v", standing[0], beginning, other)
					}
				}
			}
		}
	})
}
