package input

import (
	"strings"

	"trestle.example/framework/internal/naming"
)

// NearestPointer returns the JSON Pointer to the field that a client may have meant by an
// unknown name, at any depth, or "" if no name is near.
func (s *Shape) NearestPointer(pointer string) string {
	segments := naming.PointerSegments(pointer)
	if len(segments) == 0 {
		return ""
	}
	parents, name := segments[:len(segments)-1], segments[len(segments)-1]
	for len(parents) > 0 {
		f := s.ByName[parents[0]]
		if f == nil || f.Nested == nil {
			return ""
		}
		s, parents = f.Nested, parents[min(1+f.Value.indexes(), len(parents)):]
	}
	if near := naming.Nearest(name, s.names()); near != "" {
		return pointer[:strings.LastIndexByte(pointer, '/')] + naming.PointerTo(near)
	}
	return ""
}

// indexes returns the number of pointer segments between a value and the objects in it: one for
// each slice or map around the objects.
func (p *ValuePlan) indexes() (n int) {
	for ; p.Nested == nil; p = p.Elem {
		if !p.Optional {
			n++
		}
	}
	return n
}
