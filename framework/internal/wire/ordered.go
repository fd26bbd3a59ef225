package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/naming"
)

// A JSONSchema is a JSON Schema (2020-12), as OpenAPI 3.1 has it.
type JSONSchema = map[string]any

// Member returns the value of the first member with a name, or nil if there is none.
func (m Members) Member(name string) any {
	for _, one := range m {
		if one.Name == name {
			return one.Value
		}
	}
	return nil
}

// Find returns the value to which a reference such as "#/components/schemas" leads, or nil. It
// finds members of objects, not elements of arrays.
func (m Members) Find(to string) any {
	var value any = m
	for name := range strings.SplitSeq(strings.TrimPrefix(to, "#/"), "/") {
		object, _ := value.(Members)
		value = object.Member(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return value
}

// With returns the members of m, followed by others. It leaves out a member of m if others has a
// value that is not nil under the same name.
func (m Members) With(others Members) Members {
	all := slices.DeleteFunc(slices.Clone(m), func(one Member) bool { return others.Member(one.Name) != nil })
	return append(all, others...)
}

// A Members is a JSON object whose members keep their order, unlike those of a Go
// map.
type Members []Member //nolint:recvcheck // only Add changes the slice itself

// A Member is a name with its value.
type Member struct {
	Name  string
	Value any
}

// Add appends a member. It does not replace one of the same name.
func (m *Members) Add(name string, value any) { *m = append(*m, Member{name, value}) }

// MarshalJSON writes the members in their order.
func (m Members) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, one := range m {
		if i > 0 {
			text = append(text, ',')
		}
		value, err := Encode(one.Value)
		if err != nil {
			return nil, err
		}
		text = append(append(AppendJSON(text, one.Name), ':'), value...)
	}
	return append(text, '}'), nil
}

// At returns the object that is the value of a member, or nil if there is none.
func (m Members) At(name string) Members {
	for _, one := range m {
		if inner, ok := one.Value.(Members); ok && one.Name == name {
			return inner
		}
	}
	return nil
}

// ReadOrdered reads one value of JSON: an object as [Members], an array as []any, a
// string as a string, and anything else as a [jsontext.Value]. A number with an exponent
// becomes one without, see [plain]. More than one value is an error.
func ReadOrdered(text []byte) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	value, err := orderedValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, naming.Sentence("there is more than one value of JSON")
	}
	return value, nil
}

func orderedValue(dec *jsontext.Decoder) (any, error) {
	switch dec.PeekKind() {
	case jsontext.KindBeginObject:
		return orderedObject(dec)
	case jsontext.KindBeginArray:
		return orderedArray(dec)
	case jsontext.KindString:
		token, err := dec.ReadToken()
		return token.String(), err
	}
	raw, err := dec.ReadValue()
	return plain(raw.Clone()), err
}

func orderedObject(dec *jsontext.Decoder) (any, error) {
	all := Members{}
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() == jsontext.KindString {
		name, _ := dec.ReadToken() // the loop has found a string, so there is a name
		text := name.String()
		var value any
		value, err = orderedValue(dec)
		all.Add(text, value)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	return all, err
}

func orderedArray(dec *jsontext.Decoder) (any, error) {
	all := []any{}
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != jsontext.KindEndArray {
		var value any
		value, err = orderedValue(dec)
		all = append(all, value)
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	return all, err
}

// plain writes a number that has an exponent without it, because readers of YAML 1.1 take 1e+06
// for text. It rounds such a number to a float64. It does not change one that is too large for a
// float64.
func plain(raw jsontext.Value) jsontext.Value {
	if raw.Kind() != jsontext.KindNumber || !bytes.ContainsAny(raw, "eE") {
		return raw
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return raw
	}
	return strconv.AppendFloat(nil, n, 'f', -1, 64)
}

// IndentJSON appends a value of [ReadOrdered] as indented JSON. indent is the white space
// before its closing bracket.
func IndentJSON(b []byte, value any, indent string) []byte {
	deeper := indent + "  "
	switch value := value.(type) {
	case Members:
		for i, one := range value {
			b = append(append(append(b, opener(i, '{')...), deeper...), quoted(one.Name)...)
			b = IndentJSON(append(b, ": "...), one.Value, deeper)
		}
		return closed(b, len(value), indent, "{}")
	case []any:
		for i, one := range value {
			b = IndentJSON(append(append(b, opener(i, '[')...), deeper...), one, deeper)
		}
		return closed(b, len(value), indent, "[]")
	case string:
		return append(b, quoted(value)...)
	case jsontext.Value:
		return append(b, value...)
	}
	return b
}

// opener is what comes before a member or an element.
func opener(at int, bracket byte) string {
	if at == 0 {
		return string(bracket) + "\n"
	}
	return ",\n"
}

// closed appends the end of an object or an array. If it has no parts, closed appends all of it.
func closed(b []byte, parts int, indent, brackets string) []byte {
	if parts == 0 {
		return append(b, brackets...)
	}
	return append(append(append(b, '\n'), indent...), brackets[1])
}
