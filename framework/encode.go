package framework

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// encode writes a value as the API writes it: compact JSON in UTF-8, without
// escapes that only HTML needs.
func encode(value any) ([]byte, error) {
	if list, ok := value.(listAnswer); ok {
		return list.encode()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(orEmpty(value)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// orEmpty makes a nil slice an empty list: a client never gets null for one.
func orEmpty(value any) any {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.IsNil() {
		return reflect.MakeSlice(v.Type(), 0, 0).Interface()
	}
	return value
}

// A listAnswer is an envelope with its rows.
type listAnswer struct {
	envelope Envelope
	rows     any
}

func (l listAnswer) encode() ([]byte, error) {
	if len(l.envelope) == 1 && l.envelope[0].Name == "" {
		return encode(l.rows)
	}
	b := []byte{'{'}
	for i, m := range l.envelope {
		value := m.Value
		if _, rows := value.(Items); rows {
			value = l.rows
		}
		text, err := encode(value)
		if err != nil {
			return nil, err
		}
		name, err := encode(m.Name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), text...)
	}
	return append(b, '}'), nil
}
