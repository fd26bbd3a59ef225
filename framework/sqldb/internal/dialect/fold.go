package dialect

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// separator separates the values of a document. Fold turns it into a
// space, so that no term reaches across two values.
const separator = "\x1f"

// Fold returns the form in which text is searched. Texts that differ only in case, or in how
// their accents are encoded, have the same form. It is Unicode's full case folding (ß
// becomes ss), composed by NFC, with U+001F replaced by a space. Folding twice changes
// nothing. It is safe for concurrent use.
func Fold(s string) string {
	if isPlain(s) {
		return s
	}
	s = strings.ReplaceAll(s, separator, " ")
	return norm.NFC.String(strings.Map(cherokee, cases.Fold().String(norm.NFC.String(s))))
}

// cherokee folds the small letters of that script to its capitals, which were
// in Unicode first. The library swaps the two instead.
func cherokee(r rune) rune {
	switch {
	case 0xAB70 <= r && r <= 0xABBF:
		return r - 0xAB70 + 0x13A0
	case 0x13F8 <= r && r <= 0x13FD:
		return r - 8
	}
	return r
}

// isPlain reports whether folding leaves a text unchanged. It returns true only for ASCII
// text without capital letters and without U+001F.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == separator[0] || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// Document returns what a stored search column contains: the folded values, joined by
// U+001F. Without values it returns "".
func Document(values ...string) string {
	folded := make([]string, len(values))
	for i, v := range values {
		folded[i] = Fold(v)
	}
	return strings.Join(folded, separator)
}
