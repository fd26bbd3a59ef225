// Package slug derives slugs from text: short names in the letters a to z, digits and hyphens, which
// paths hold without escapes.
package slug

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Of returns the slug of a text, of at most so many characters. Letters lose their accents, and
// become small; everything else becomes a hyphen. It returns "" for a text that has no Latin letter and
// no digit.
func Of(text string, most int) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch r = unicode.ToLower(r); {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r) || strings.ContainsRune("'’ʼ", r): // accents and apostrophes
		case latin[r] != "":
			b.WriteString(latin[r])
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return cut(b.String(), most)
}

// latin has the letters of Latin alphabets that do not decompose into a letter and an accent.
var latin = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "ng", 'ŧ': "t",
}

// cut shortens a slug to at most so many characters. If a hyphen is in the second half, it cuts there,
// between two words.
func cut(slug string, most int) string {
	slug = strings.Trim(slug, "-")
	if len(slug) <= most {
		return slug
	}
	whole := slug[most] == '-'
	slug = slug[:most]
	if at := strings.LastIndexByte(slug, '-'); !whole && at > most/2 {
		slug = slug[:at]
	}
	return strings.Trim(slug, "-")
}

// Numbered returns the slug with a number behind it, such as "news-2", of at most so many characters.
func Numbered(slug string, n, most int) string {
	suffix := "-" + strconv.Itoa(n)
	return strings.TrimRight(slug[:min(len(slug), most-len(suffix))], "-") + suffix
}

// Stem returns the beginning of a slug that all its numbered slugs have too: its first word, of at most
// six letters.
func Stem(slug string) string {
	word, _, _ := strings.Cut(slug, "-")
	return word[:min(len(word), 6)]
}

// Follows reports whether a slug is the given base, or the base with a number.
func Follows(slug, base string, most int) bool {
	if slug == base {
		return true
	}
	n, err := strconv.Atoi(slug[strings.LastIndexByte(slug, '-')+1:])
	return err == nil && n > 1 && Numbered(base, n, most) == slug
}
