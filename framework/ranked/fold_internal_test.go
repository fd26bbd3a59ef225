package ranked

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"signs alone", " -%_…🥛\t", nil},
		{"words", "Whole Wheat-Atta", []string{"whole", "wheat", "atta"}},
		{"a word twice", "atta ATTA", []string{"atta", "atta"}},
		{"letters and digits stay together", "500ml 2x", []string{"500ml", "2x"}},
		{"an apostrophe separates", "Haldiram's", []string{"haldiram", "s"}},
		{"no stemming", "eggs eaten", []string{"eggs", "eaten"}},
		{"accents", "Crème Brûlée", []string{"creme", "brulee"}},
		{"decomposed accents", "cre\u0300me", []string{"creme"}},
		{"sharp s", "Straße", []string{"strasse"}},
		{"dotted capital I", "İzmir", []string{"izmir"}},
		{"final sigma", "ΟΔΟΣ", []string{"οδοσ"}},
		{"a ligature", "ﬁne", []string{"fine"}},
		{"full-width", "ＡＢ１２", []string{"ab12"}},
		{"a capital made by a compatibility form", "℡", []string{"tel"}},
		{"superscripts and fractions", "m² ½", []string{"m2", "1", "2"}},
		{"Devanagari keeps its vowels", "आटा दही", []string{"आटा", "दही"}},
		{"Devanagari keeps its virama", "मक्खन", []string{"मक्खन"}},
		{"a nukta is removed", "ज़ फ\u093cल", []string{"ज", "फल"}},
		{"invisible joiners are removed", "क्\u200dष co\u00adop", []string{"क्ष", "coop"}},
		{"Kana keeps its voice", "がか", []string{"か\u3099か"}},
		{"Arabic without its vowels", "مُحَمَّد", []string{"محمد"}},
		{"a variation selector is removed", "1\ufe0f\u20e3 kg", []string{"1", "kg"}},
		{"a long word is cut", strings.Repeat("é", 150), []string{strings.Repeat("e", 100)}},
		{"a word of 100 characters is not cut", strings.Repeat("द", 100), []string{strings.Repeat("द", 100)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := splitWords(c.text); !slices.Equal(got, c.want) {
				t.Errorf("words(%q) = %q, want %q", c.text, got, c.want)
			}
		})
	}
}

// TestWordsOfWords: folding folded text changes nothing, no word contains a separator,
// and each word fits into an index.
func TestWordsOfWords(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, text string) {
		list := splitWords(text)
		if again := splitWords(strings.Join(list, " ")); !slices.Equal(again, list) {
			t.Errorf("%q: once %q, twice %q", text, list, again)
		}
		for _, word := range list {
			if word == "" || strings.ContainsAny(word, "= "+string(utf8.MaxRune)) || utf8.RuneCountInString(word) > longestWord || !utf8.ValidString(word) {
				t.Errorf("%q has the word %q", text, word)
			}
		}
	}
	for r := range unicode.MaxRune {
		if utf8.ValidRune(r) {
			check(t, "x"+string(r)+"y")
		}
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.String().Draw(t, "text")) })
}
