package framework

import (
	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/wire"
)

// A listAnswer is an envelope with its rows.
type listAnswer struct {
	envelope Envelope
	rows     jsontext.Value
}

// envelopeBytes are more than an envelope without its rows has, as a rule.
const envelopeBytes = 512

func (l listAnswer) EncodeSelf() ([]byte, error) {
	if len(l.envelope) == 1 && l.envelope[0].Name == "" {
		return wire.Encode(l.rows)
	}
	b := append(make([]byte, 0, len(l.rows)+envelopeBytes), '{')
	for i, m := range l.envelope {
		value := m.Value
		if _, rows := value.(Items); rows {
			value = l.rows
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
