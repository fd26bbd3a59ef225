package view

import (
	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/wire"
	"trestle.example/framework/query"
)

// A ListAnswer is the body of a list's answer: an envelope and its rows as JSON.
type ListAnswer struct {
	Envelope query.Envelope
	Rows     jsontext.Value
}

// envelopeBytes is usually enough for an envelope without its rows.
const envelopeBytes = 512

// EncodeSelf returns the envelope as JSON, with the rows as the value of the [query.Items]
// member. If the only member of the envelope has no name, the result is the rows alone.
func (l ListAnswer) EncodeSelf() ([]byte, error) {
	if len(l.Envelope) == 1 && l.Envelope[0].Name == "" {
		return wire.Encode(l.Rows)
	}
	b := append(make([]byte, 0, len(l.Rows)+envelopeBytes), '{')
	for i, m := range l.Envelope {
		value := m.Value
		if _, rows := value.(query.Items); rows {
			value = l.Rows
		}
		text, err := wire.Encode(value)
		if err != nil {
			return nil, err
		}
		name, err := wire.Encode(m.Name)
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
