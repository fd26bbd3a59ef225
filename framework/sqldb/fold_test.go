package sqldb

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"ASCII", "Ann O'Neil 7", "ann o'neil 7"},
		{"accent, capital", "É", "é"},
		{"accent, composed", "é", "é"},
		{"accent, decomposed", "e\u0301", "é"},
		{"accent, decomposed capital", "E\u0301", "é"},
		{"sharp s", "Straße", "strasse"},
		{"capital sharp s", "STRAẞE", "strasse"},
		{"dotted capital I", "İ", "i\u0307"},
		{"dotless i", "ı", "ı"},
		{"final sigma", "ΟΔΟΣ οδος", "οδοσ οδοσ"},
		{"long s", "ſ", "s"},
		{"micro sign", "µ", "μ"},
		{"kelvin sign", "K", "k"},
		{"ligature", "ﬁn", "fin"},
		{"iota subscript", "ᾳ", "αι"},
		{"Devanagari", "पुणे", "पुणे"},
		{"Hangul, decomposed", "\u1112\u1161\u11ab", "한"},
		{"Cherokee, both cases", "Ꭰꭰ", "ᎠᎠ"},
		{"emoji", "😀", "😀"},
		{"separator", "a\x1fb", "a b"},
		{"other controls stay", "a\tb\n", "a\tb\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Fold(c.in); got != c.want {
				t.Errorf("Fold(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestFoldTwiceIsFoldOnce(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		once := Fold(string(r))
		if once == string(r) {
			continue
		}
		for _, s := range []string{string(r), string(r) + "\u0301", string(r) + "\u0345\u0301"} {
			if once := Fold(s); Fold(once) != once {
				t.Fatalf("%q: once %q, twice %q", s, once, Fold(once))
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if once := Fold(s); Fold(once) != once {
			t.Errorf("once %q, twice %q", once, Fold(once))
		}
	})
}

func TestDocument(t *testing.T) {
	if got := Document("Ann", "", "É\x1f"); got != "ann\x1f\x1fé " {
		t.Errorf("got %q", got)
	}
	if strings.Contains(Document("an", "na"), Fold("nn")) {
		t.Error("a term reaches across two values")
	}
}
