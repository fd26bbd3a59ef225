// Package structtag finds struct tags that are malformed or misspelt.
package structtag

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/naming"
)

// ownTags are the keys of struct tags that the framework and bun read.
var ownTags = []string{"validate", "json", "bun", "default", "ref", "to", "from", "trim", "doc", "example"}

// foreignTags are the keys of other packages that are near a key in ownTags. They are not
// reported as misspelt.
var foreignTags = []string{"bson", "form", "rel"}

// Check reports the fields of a struct type, and of the struct types inside it, whose tag
// is malformed, has a key twice, or has a key that is near a key in ownTags ([naming.Nearest]) and
// is therefore probably misspelt. It ignores any other key: another package may read it. Each type
// is checked once; known remembers which.
func Check(t reflect.Type, known map[reflect.Type]bool, fault func(error)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		Check(t.Elem(), known, fault)
		return
	case reflect.Struct:
	default:
		return
	}
	if known[t] || t == naming.TimeType {
		return
	}
	known[t] = true
	for f := range t.Fields() {
		place := naming.ShortName(t, "struct") + "." + f.Name
		keys, err := tagKeys(string(f.Tag))
		if err != nil {
			fault(naming.Sentence("%s: %w", place, err))
		}
		for _, key := range keys {
			if near := misspeltTag(key); near != "" {
				fault(naming.Sentence("%s: the tag %q means nothing here; did you mean %q?", place, key, near))
			}
		}
		Check(f.Type, known, fault)
	}
}

func misspeltTag(key string) string {
	if slices.Contains(ownTags, key) || slices.Contains(foreignTags, key) {
		return ""
	}
	return naming.Nearest(key, ownTags)
}

// tagKeys lists the keys of a struct tag, which has pairs key:"value" with a space between them.
// A malformed part, a key that appears twice and a missing space are errors. With an error, it
// still returns the keys that it read before the mistake.
func tagKeys(tag string) (keys []string, err error) {
	for rest := tag; ; {
		if rest = strings.TrimLeft(rest, " "); rest == "" {
			return keys, nil
		}
		key, after, ok := strings.Cut(rest, ":")
		value, quoted := strconv.QuotedPrefix(after)
		switch {
		case !ok || key == "" || strings.ContainsAny(key, " \t\"") || quoted != nil || value[0] != '"':
			return keys, naming.Sentence("the tag `%s` is malformed at `%s`; write pairs key:\"value\" with a space between them", tag, rest)
		case slices.Contains(keys, key):
			return keys, naming.Sentence("the tag `%s` has the key %q twice, and the second is not read", tag, key)
		}
		keys = append(keys, key)
		if rest = after[len(value):]; rest != "" && rest[0] != ' ' {
			return keys, naming.Sentence("the tag `%s` needs a space before `%s`", tag, rest)
		}
	}
}
