// Package wording turns names and values of JSON into words for people.
package wording

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/google/uuid"

	"trestle.example/framework/internal/wire"
)

// initials are the words that people write in capitals.
var initials = []string{"API", "CSV", "HTTP", "IP", "JSON", "SKU", "URL", "UTC"}

// Label turns a name of JSON into words: "created_at" and "createdAt" into "Created at", and "imageUrl" into "Image URL".
func Label(name string) string {
	runes := []rune(name)
	words := make([]rune, 0, len(runes))
	for i, r := range runes {
		switch {
		case strings.ContainsRune("_-./", r):
			r = ' '
		case i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]):
			words = append(words, ' ')
			if i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
				r = unicode.ToLower(r)
			}
		}
		words = append(words, r)
	}
	all := strings.Fields(string(words))
	for i, word := range all {
		if upper := strings.ToUpper(word); slices.Contains(initials, upper) {
			all[i] = upper
		}
	}
	text := strings.Join(all, " ")
	if end := len(text) - len(" id"); end > 0 && strings.EqualFold(text[end:], " id") {
		text = text[:end]
	}
	if text == "" || text == "id" {
		return strings.ToUpper(text)
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// titles are the members whose value names a row to people, the best first.
var titles = []string{"title", "name", "label", "full_name", "fullName", "number", "email", "username", "slug", "sku", "id"}

// Rank orders members by how well their values name a row, the best first. A member that names none has 0, and the others are below.
func Rank(member string) int {
	if i := slices.Index(titles, member); i >= 0 {
		return i - len(titles)
	}
	return 0
}

// Title returns what names an object to people.
func Title(o wire.Members) string {
	for _, name := range titles {
		if text := Key(o, name); text != "" {
			return text
		}
	}
	for _, m := range o {
		if text, ok := m.Value.(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// Short cuts a long key. Of a UUID, it leaves the end, because the beginning of many is the same.
func Short(key string) string {
	r := []rune(key)
	switch {
	case uuid.Validate(key) == nil:
		return "…\u2060" + key[len(key)-8:] // no line ends between them
	case len(r) > 24:
		return string(r[:23]) + "…"
	}
	return key
}

// Scalar returns a value of [wire.ReadOrdered] that is no object and no list: its text, and its kind. Of anything else,
// the kind is that of null.
func Scalar(v any) (text string, kind jsontext.Kind) {
	switch v := v.(type) {
	case string:
		return v, jsontext.KindString
	case jsontext.Value:
		return string(v), v.Kind()
	}
	return "", jsontext.KindNull
}

// Key returns the member of an object that has its key as text, "" without one.
func Key(o wire.Members, name string) string {
	text, kind := Scalar(o.Member(name))
	if kind != jsontext.KindString && kind != jsontext.KindNumber {
		return ""
	}
	return text
}
