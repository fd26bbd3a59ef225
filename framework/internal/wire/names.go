package wire

import (
	"bytes"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/naming"
)

// Names renames the members in JSON of a Go type: fields without a name in their tag get their
// name in a case. It is compiled once and is safe for concurrent use. Nil renames nothing.
type Names struct {
	members map[string]member // of an object, by the name that Encode gives it; nil for another value
	each    *Names            // of the elements of an array, and of the values of a map
}

// A member is the new name of a member, quoted, and the names in its value.
type member struct {
	name  []byte
	value *Names
}

// CompileNames compiles the names of a type. It returns nil if the case changes none. Members of
// types that write their own JSON, and of values of interface types, keep their names.
func CompileNames(t reflect.Type, c naming.Case) *Names {
	if t == nil || c == naming.AsInGo {
		return nil
	}
	n := namesOf(t, c, map[reflect.Type]*Names{})
	if !n.renames(map[*Names]bool{}) {
		return nil
	}
	return n
}

// namesOf returns the names of a type, nil for one without members. Done has those of the structs
// that it has seen.
func namesOf(t reflect.Type, c naming.Case, done map[reflect.Type]*Names) *Names {
	switch {
	case MakesJSON(t):
		return nil
	case t.Kind() == reflect.Pointer:
		return namesOf(t.Elem(), c, done)
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Array, t.Kind() == reflect.Map:
		if each := namesOf(t.Elem(), c, done); each != nil {
			return &Names{each: each}
		}
		return nil
	case t.Kind() != reflect.Struct:
		return nil
	case done[t] != nil:
		return done[t]
	}
	n := &Names{members: map[string]member{}}
	done[t] = n
	for f := range naming.ShapeFields(t) {
		n.members[naming.JSONName(f)] = member{AppendJSON(nil, c.JSONName(f)), namesOf(f.Type, c, done)}
	}
	return n
}

// renames reports whether any name changes, at any depth. It skips those in seen.
func (n *Names) renames(seen map[*Names]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	for old, m := range n.members {
		if !bytes.Equal(m.name, AppendJSON(nil, old)) || m.value.renames(seen) {
			return true
		}
	}
	return n.each.renames(seen)
}

// Rename returns JSON of the type with the new names. It leaves everything else as it is, except
// white space between tokens. JSON that has the new names already is returned with them.
func (n *Names) Rename(text []byte) ([]byte, error) {
	if n == nil {
		return text, nil
	}
	return n.append(make([]byte, 0, len(text)+len(text)/8), jsontext.NewDecoder(bytes.NewReader(text)))
}

// Name returns the new name of a member of an object.
func (n *Names) Name(old string) string {
	if n == nil || n.members[old].name == nil {
		return old
	}
	name, _ := jsontext.AppendUnquote(nil, n.members[old].name) // AppendJSON made it
	return string(name)
}

func (n *Names) append(b []byte, dec *jsontext.Decoder) ([]byte, error) {
	kind := dec.PeekKind()
	switch {
	case n == nil, kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray:
		value, err := dec.ReadValue()
		return append(b, value...), err
	case kind == jsontext.KindBeginArray:
		return n.appendArray(b, dec)
	}
	return n.appendObject(b, dec)
}

func (n *Names) appendArray(b []byte, dec *jsontext.Decoder) ([]byte, error) {
	_, err := dec.ReadToken()
	b = append(b, '[')
	for first := true; err == nil && dec.PeekKind() != jsontext.KindEndArray; first = false {
		if !first {
			b = append(b, ',')
		}
		b, err = n.each.append(b, dec)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	return append(b, ']'), err
}

func (n *Names) appendObject(b []byte, dec *jsontext.Decoder) ([]byte, error) {
	_, err := dec.ReadToken()
	b = append(b, '{')
	for first := true; err == nil && dec.PeekKind() != jsontext.KindEndObject; first = false {
		if !first {
			b = append(b, ',')
		}
		var name jsontext.Value
		if name, err = dec.ReadValue(); err != nil {
			return nil, err
		}
		inner := n.each
		if m, known := n.members[string(name[1:len(name)-1])]; known {
			name, inner = m.name, m.value
		}
		b, err = inner.append(append(append(b, name...), ':'), dec)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	return append(b, '}'), err
}
