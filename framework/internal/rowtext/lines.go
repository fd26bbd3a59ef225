package rowtext

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Lines writes each row as JSON on one line.
type Lines struct{}

// Head implements [stream.RowWriter].
func (Lines) Head(b []byte) []byte { return b }

// Rows implements [stream.RowWriter].
func (Lines) Rows(b []byte, rows jsontext.Value) ([]byte, error) {
	return b, each(rows, func(d *jsontext.Decoder) error {
		row, err := d.ReadValue()
		if err == nil && bytes.ContainsAny(row, "\r\n") { // between tokens, in JSON that the program made itself
			row = bytes.Clone(row)
			err = row.Compact()
		}
		b = append(append(b, row...), '\n')
		return err
	})
}

// each calls read for each element of a JSON array. It reads the element from the decoder.
func each(array jsontext.Value, read func(*jsontext.Decoder) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(array))
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != jsontext.KindEndArray {
		if err := read(d); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}
