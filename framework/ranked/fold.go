package ranked

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"trestle.example/framework/sqldb"
)

// longestWord is how many characters of a word are stored: as many as a search may have.
const longestWord = 100

// splitWords returns the folded words of a text, in their order, repeated ones too. Of a
// longer word it returns the first 100 characters.
func splitWords(text string) []string {
	// Folded between two NFKD: compatibility forms may be capitals, and Fold composes
	// characters.
	folded := norm.NFKD.String(sqldb.Fold(norm.NFKD.String(text)))
	list := strings.FieldsFunc(strings.Map(stripMark, folded), isSeparator)
	for i, word := range list {
		list[i] = cut(word, longestWord)
	}
	return list
}

// Combining classes of Unicode.
const (
	nukta      = 7 // the dot below a letter in Indic scripts, often left out
	kanaVoiced = 8 // marks that change a Japanese letter into another one
)

// stripMark returns -1, which removes the character, for accents, Indic nuktas and invisible
// joining characters. It keeps all others, such as Indic vowel signs and the voicing marks of
// Japanese.
func stripMark(r rune) rune {
	if r < 0x80 {
		return r
	}
	switch norm.NFKD.PropertiesString(string(r)).CCC() {
	case nukta:
		return -1
	case kanaVoiced:
		return r
	}
	if unicode.In(r, unicode.Inherited, unicode.Cf) {
		return -1
	}
	return r
}

func isSeparator(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }

// cut returns the first n characters of a text.
func cut(text string, n int) string {
	for at := range text {
		if n == 0 {
			return text[:at]
		}
		n--
	}
	return text
}
