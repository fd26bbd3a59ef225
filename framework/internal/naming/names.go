package naming

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CodeName is the pattern of an error code.
var CodeName = regexp.MustCompile(`^[a-z0-9_]+$`)

// Camel joins words as clients write names.
func Camel(first string, rest ...string) string {
	name := Title(strings.Join(append([]string{first}, rest...), " "))
	return strings.ToLower(name[:1]) + name[1:]
}

// Title makes a name that begins a word: "users_view" is "UsersView".
func Title(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		first, size := utf8.DecodeRuneInString(word)
		b.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	return b.String()
}
