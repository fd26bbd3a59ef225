package naming

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CodeName is the pattern of an error code.
var CodeName = regexp.MustCompile(`^[a-z0-9_]+$`)

// parameterName is the pattern of the name of a query parameter: characters that no client has to encode or that clients write in
// brackets, such as page[size].
var parameterName = regexp.MustCompile(`^[A-Za-z0-9_.$:@*~\[\]-]+$`)

// CheckParameter returns a mistake in the name of a query parameter.
func CheckParameter(name string) error {
	if parameterName.MatchString(name) {
		return nil
	}
	return Sentence("the parameter %q is no name of a query parameter; use letters, digits, - and _, such as \"page_size\"", name)
}

// Camel joins words to a name in lower camel case: "users" and "view_all" are "usersViewAll". It
// panics if the words have no letter and no digit.
func Camel(first string, rest ...string) string {
	name := Title(strings.Join(append([]string{first}, rest...), " "))
	return strings.ToLower(name[:1]) + name[1:]
}

// Title joins the words of a text, each with a capital first letter: "users_view" is
// "UsersView". Characters other than letters and digits separate words, and are dropped.
func Title(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		first, size := utf8.DecodeRuneInString(word)
		b.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	return b.String()
}

// Dotted is the path of a viewset and a word behind it, such as patients.created.
func Dotted(path, word string) string {
	return strings.ReplaceAll(strings.ReplaceAll(path, "/{}", ""), "/", ".") + "." + word
}
