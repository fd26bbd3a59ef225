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

// nearestPointer is the field that a client may have meant by an unknown name,
// at whatever depth.
func (s *inputShape) nearestPointer(pointer string) string {
	segments := pointerSegments(pointer)
	if len(segments) == 0 {
		return ""
	}
	parents, name := segments[:len(segments)-1], segments[len(segments)-1]
	for len(parents) > 0 {
		f := s.byName[parents[0]]
		if f == nil || f.nested == nil {
			return ""
		}
		s, parents = f.nested, parents[min(1+f.value.indexes(), len(parents)):]
	}
	if near := nearest(name, s.names()); near != "" {
		return pointer[:strings.LastIndexByte(pointer, '/')] + pointerTo(near)
	}
	return ""
}

// indexes is how many segments of a pointer lead from a value to its objects:
// one for each slice or map around them.
func (p *valuePlan) indexes() (n int) {
	for ; p.nested == nil; p = p.elem {
		if !p.optional {
			n++
		}
	}
	return n
}
