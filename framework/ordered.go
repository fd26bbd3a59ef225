package framework

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A members is a JSON object whose members keep their order, where Go's maps
// have none.
type members []member //nolint:recvcheck // add changes it, the rest reads

type member struct {
	name  string
	value any
}

// add puts a member behind the others.
func (m *members) add(name string, value any) { *m = append(*m, member{name, value}) }

// MarshalJSON writes the members in their order.
func (m members) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, one := range m {
		if i > 0 {
			text = append(text, ',')
		}
		value, err := encode(one.value)
		if err != nil {
			return nil, err
		}
		text = append(append(appendJSON(text, one.name), ':'), value...)
	}
	return append(text, '}'), nil
}

// sortBy orders the members by a list of names; those that it does not have
// come last, as they were.
func (m members) sortBy(names []string) {
	place := func(name string) int {
		if at := slices.Index(names, name); at >= 0 {
			return at
		}
		return len(names)
	}
	slices.SortStableFunc(m, func(a, b member) int { return place(a.name) - place(b.name) })
}

// at is the object that a member holds, empty for none.
func (m members) at(name string) members {
	for _, one := range m {
		if inner, ok := one.value.(members); ok && one.name == name {
			return inner
		}
	}
	return nil
}

// readOrdered reads one value of JSON: an object as members, an array as []any,
// text as a string, and anything else as it is written, numbers in plain
// decimals.
func readOrdered(text []byte) (any, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	value, err := orderedValue(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, sentence("there is more than one value of JSON")
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
	all := members{}
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() == jsontext.KindString {
		name, _ := dec.ReadToken() // it is there: it was looked at
		text := name.String()
		var value any
		value, err = orderedValue(dec)
		all.add(text, value)
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

// plain writes a number without an exponent: readers of YAML 1.1 take 1e+06 for
// text.
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

// indentJSON writes what readOrdered read, for people.
func indentJSON(b []byte, value any, indent string) []byte {
	deeper := indent + "  "
	switch value := value.(type) {
	case members:
		for i, one := range value {
			b = append(append(append(b, opener(i, '{')...), deeper...), quoted(one.name)...)
			b = indentJSON(append(b, ": "...), one.value, deeper)
		}
		return closed(b, len(value), indent, "{}")
	case []any:
		for i, one := range value {
			b = indentJSON(append(append(b, opener(i, '[')...), deeper...), one, deeper)
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

// closed ends an object or an array of so many parts.
func closed(b []byte, parts int, indent, brackets string) []byte {
	if parts == 0 {
		return append(b, brackets...)
	}
	return append(append(append(b, '\n'), indent...), brackets[1])
}
