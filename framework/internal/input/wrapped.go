package input

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// A Wrapper is how bodies contain an input: as the one member of an object, or as an element of an array.
type Wrapper struct {
	At       string // the pointer of the element, "/17"; "" for any other body
	Member   string // "article"; "" if the body is the input itself
	Optional bool   // a body without the member is an empty input
}

// Decode reads a body as [Shape.Decode] does, and the input in it. The pointers of faults and of
// unknown names in the result are relative to the input, except those in Around and Beside.
func (w Wrapper) Decode(s *Shape, body []byte, partial bool, readOnly map[string]bool) (*Decoded, *problem.Error) {
	if w.Member == "" {
		return s.Decode(body, partial, readOnly)
	}
	if refusal := refuseUnread(body); refusal != nil {
		return nil, refusal
	}
	inner, beside, refusal := w.split(body)
	if refusal != nil {
		return nil, refusal
	}
	around := w.around(inner, beside)
	if around != nil || inner == nil {
		inner, partial = []byte("{}"), partial || around != nil
	}
	d, refusal := s.decode(inner, partial, readOnly, w.prefix())
	if refusal != nil {
		return nil, refusal
	}
	d.Around, d.Beside = around, beside
	return d, nil
}

// Input returns the input in a body as JSON: the body itself without a member, and nil for a body
// that has none.
func (w Wrapper) Input(body []byte) []byte {
	if w.Member == "" {
		return body
	}
	inner, _, _ := w.split(body)
	return inner
}

// Pointer turns a pointer into the input into a pointer into the body. An empty pointer is that of the
// element, or stays empty.
func (w Wrapper) Pointer(pointer string) string {
	if pointer == "" {
		return w.At
	}
	return w.prefix() + pointer
}

// Nearest returns the pointer to the member if a client probably meant it by a name beside it,
// otherwise "".
func (w Wrapper) Nearest(beside string) string {
	if naming.Nearest(naming.PointerSegments(beside)[0], []string{w.Member}) == "" {
		return ""
	}
	return w.prefix()
}

func (w Wrapper) prefix() string {
	if w.Member == "" {
		return w.At
	}
	return naming.PointerTo(w.Member)
}

// IsWhole reports whether bodies are the input itself.
func (w Wrapper) IsWhole() bool { return w.prefix() == "" }

// split returns the value of the member, nil if there is none, and the pointers of the other
// members of the body. Each list of pointers has at most as many entries as that of [Decoded].
func (w Wrapper) split(body []byte) (inner jsontext.Value, beside []string, refusal *problem.Error) {
	r := &bodyReader{dec: jsontext.NewDecoder(strings.NewReader("")), out: &Decoded{}}
	r.reset(body, r.out)
	if kind := r.dec.PeekKind(); kind != jsontext.KindBeginObject {
		if _, ok := r.raw(); ok {
			return nil, nil, fault.InvalidJSON("The body must be one JSON object, not %s.", kindName(kind))
		}
		return nil, nil, describe(body, r.err)
	}
	r.token()
	for r.err == nil && r.dec.PeekKind() != jsontext.KindEndObject {
		name, ok := r.raw()
		switch {
		case !ok:
		case string(unescape(name)) == w.Member:
			value, _ := r.raw()
			inner = value.Clone()
		default:
			if pointer := string(r.dec.StackPointer()); r.mayList(len(beside)) {
				beside = append(beside, pointer)
				r.room -= len(pointer)
			}
			r.skip()
		}
	}
	if r.token(); r.err != nil {
		return nil, nil, describe(body, r.err)
	}
	return inner, beside, r.ended(body)
}

// around returns the fault of a body whose member is missing or is not an object. It is nil for
// any other body. If a member beside it has nearly its name, the fault of a missing member names it.
func (w Wrapper) around(inner jsontext.Value, beside []string) []problem.Fault {
	example := "; the body is {\"" + w.Member + "\": {...}}"
	switch {
	case inner == nil && !w.Optional:
		if at := slices.IndexFunc(beside, func(name string) bool { return w.Nearest(name) != "" }); at >= 0 {
			example = naming.Misplaced(beside[at], w.prefix())
		}
		return []problem.Fault{{Pointer: w.prefix(), Code: "required", Detail: missingDetail + example}}
	case inner != nil && inner.Kind() != jsontext.KindBeginObject:
		return []problem.Fault{{Pointer: w.prefix(), Code: "type", Detail: "must be an object, not " + kindName(inner.Kind()) + example}}
	}
	return nil
}
