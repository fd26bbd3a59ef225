package naming

import (
	"strings"
)

// EscapePointer makes a name one token of a JSON Pointer (RFC 6901 section 3).
func EscapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// PointerTo is the JSON Pointer (RFC 6901) to a member of the body.
func PointerTo(name string) string { return "/" + EscapePointer(name) }

// PointerSegments returns the names in a JSON Pointer, without escapes, or nil for "".
func PointerSegments(pointer string) []string {
	if pointer == "" {
		return nil
	}
	segments := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, s := range segments {
		segments[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
	}
	return segments
}
