package framework

import "strings"

// pointerTo is the JSON Pointer (RFC 6901) to a member of the body.
func pointerTo(name string) string { return "/" + escapePointer(name) }

// pointerSegments takes a JSON Pointer apart.
func pointerSegments(pointer string) []string {
	if pointer == "" {
		return nil
	}
	segments := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, s := range segments {
		segments[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
	}
	return segments
}

// nearestPointer is the field that a client may have meant by an unknown name.
func (s *inputShape) nearestPointer(pointer string) string {
	segments := pointerSegments(pointer)
	if len(segments) != 1 {
		return ""
	}
	if near := nearest(segments[0], s.names()); near != "" {
		return pointerTo(near)
	}
	return ""
}
