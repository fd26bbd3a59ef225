package framework

import (
	"encoding/json"
	"errors"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// wireFormat is how the API writes JSON: as encoding/json does, but an empty
// list is never null, and what only HTML needs escaped is not.
var wireFormat = jsonv2.JoinOptions( //nolint:gochecknoglobals // a constant, which Go cannot write as one
	jsonv1.DefaultOptionsV1(),
	jsonv2.FormatNilSliceAsNull(false), jsonv2.FormatNilMapAsNull(false), jsontext.EscapeForHTML(false),
	jsonv2.WithMarshalers(jsonv2.JoinMarshalers(
		jsonv2.MarshalToFunc(writeNumber), jsonv2.MarshalToFunc(writeBytes),
	)),
)

// writeNumber writes what a decoder kept of a number, as encoding/json does.
func writeNumber(e *jsontext.Encoder, n json.Number) error {
	if kind, members := e.StackIndex(e.StackDepth()); kind == '{' && members%2 == 0 {
		return errors.ErrUnsupported // a name, which is written as text
	}
	if n == "" {
		n = "0"
	}
	if !isNumber(string(n)) {
		return sentence("json.Number %q is no number", string(n))
	}
	return e.WriteValue(jsontext.Value(n))
}

// writeBytes writes no bytes at all, a NULL, as null: empty is something else.
func writeBytes(e *jsontext.Encoder, b []byte) error {
	if b == nil {
		return e.WriteToken(jsontext.Null)
	}
	return errors.ErrUnsupported
}

// A selfEncoder writes itself as compact JSON in UTF-8.
type selfEncoder interface{ EncodeSelf() ([]byte, error) }

// encode writes a value as compact JSON in UTF-8.
func encode(value any) ([]byte, error) {
	switch value := value.(type) {
	case jsontext.Value:
		return value, nil
	case selfEncoder:
		return value.EncodeSelf()
	}
	return jsonv2.Marshal(value, wireFormat)
}

// A listAnswer is an envelope with its rows.
type listAnswer struct {
	envelope Envelope
	rows     jsontext.Value
}

// envelopeBytes are more than an envelope without its rows has, as a rule.
const envelopeBytes = 512

func (l listAnswer) EncodeSelf() ([]byte, error) {
	if len(l.envelope) == 1 && l.envelope[0].Name == "" {
		return encode(l.rows)
	}
	b := append(make([]byte, 0, len(l.rows)+envelopeBytes), '{')
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
