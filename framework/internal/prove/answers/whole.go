package answers

import "strings"

// HasWhole reports whether a text has a key as a whole: 12 does not have 1. It is false for the key "".
func HasWhole(text, key string) bool {
	for at := 0; key != ""; at++ {
		next := strings.Index(text[at:], key)
		if next < 0 {
			return false
		}
		at += next
		if end := at + len(key); (at == 0 || !isPart(text[at-1])) && (end == len(text) || !isPart(text[end])) {
			return true
		}
	}
	return false
}

// isPart reports whether a byte beside a key is of a longer key.
func isPart(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
