package naming

import (
	"cmp"
	"iter"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// A Case is how the names of fields without a name in the tag json look to clients.
type Case int

// The cases of the field AuthorID: "AuthorID", "author_id" and "authorId".
const (
	AsInGo Case = iota
	SnakeCase
	CamelCase
)

// Of returns a Go name in the case. A run of capitals is one word: HTTPServer has the words HTTP
// and Server. Digits belong to the word before them, and so does an s after capitals: UserIDs has
// the words User and IDs.
func (c Case) Of(name string) string {
	if c == AsInGo {
		return name
	}
	words := wordsOf(name)
	for i, word := range words {
		words[i] = strings.ToLower(word)
		if c == CamelCase && i > 0 {
			words[i] = Title(words[i])
		}
	}
	if c == CamelCase {
		return strings.Join(words, "")
	}
	return strings.Join(words, "_")
}

// Join returns a name for clients with one more word: "published_at" and "after" are
// published_at_after, and publishedAt and "after" are publishedAtAfter in CamelCase.
func (c Case) Join(name, word string) string {
	if c == CamelCase {
		return name + Title(word)
	}
	return name + "_" + word
}

// JSONName is the client's name of a field in the case: the name in its tag json, else its Go name
// in the case.
func (c Case) JSONName(f reflect.StructField) string {
	return cmp.Or(taggedName(f), c.Of(f.Name))
}

// Fields yields the fields that [ShapeFields] yields, each with its name for clients in the tag
// json.
func (c Case) Fields(t reflect.Type) iter.Seq[reflect.StructField] {
	if c == AsInGo {
		return ShapeFields(t)
	}
	return func(yield func(reflect.StructField) bool) {
		for f := range ShapeFields(t) {
			_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			tag := `json:` + strconv.Quote(c.JSONName(f)+","+options)
			f.Tag = reflect.StructTag(tag + " " + string(f.Tag)) // the first of two equal keys counts
			if !yield(f) {
				return
			}
		}
	}
}

// wordsOf splits a Go name into words, as [Case.Of] describes.
func wordsOf(name string) (words []string) {
	letters, start := []rune(name), 0
	for i := 1; i < len(letters); i++ {
		if beginsWord(letters, i) {
			words = append(words, strings.Trim(string(letters[start:i]), "_"))
			start = i
		}
	}
	return append(words, strings.Trim(string(letters[start:]), "_"))
}

// beginsWord reports whether a word of a Go name begins at a letter other than the first.
func beginsWord(letters []rune, i int) bool {
	switch {
	case letters[i-1] == '_':
		return true
	case !unicode.IsUpper(letters[i]):
		return false
	case !unicode.IsUpper(letters[i-1]):
		return true
	}
	return i+1 < len(letters) && unicode.IsLower(letters[i+1]) && !endsPlural(letters, i+1)
}

// endsPlural reports whether the letter at a place is the s of the plural of an abbreviation.
func endsPlural(letters []rune, i int) bool {
	return letters[i] == 's' && (i+1 == len(letters) || unicode.IsUpper(letters[i+1]))
}
