package verb

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/wire"
)

// compareReadOnly notes the read-only names of the body whose values differ from the row's, for
// the header Trestle-Ignored, or rejects them if the resource is strict. It accepts equal values
// without a note, so that a client can send back what it read.
func (w *Writing) compareReadOnly(c *call.Call, m reflect.Value, in *input.Decoded) error {
	if len(in.ReadOnly) == 0 {
		return nil
	}
	before, err := w.shownAs(c, m)
	if err != nil {
		return err
	}
	return fault.RejectUnknown(w.Endpoint.ignoreReadOnly(c, in, before))
}

// shownAs returns the members of the row as the verb shows it to the caller, with those that clients choose.
func (w *Writing) shownAs(c *call.Call, m reflect.Value) (map[string]jsontext.Value, error) {
	read, mask := w.shown, w.Endpoint.Mask
	if w.Whole != nil {
		mask = w.Whole.Hiding()
		read = func(c *call.Call, m reflect.Value) (scan.SentRow, error) {
			return w.Resource.ShownByKey(c, w.Whole, w.Resource.Pk.Value(m.Elem()).Interface())
		}
	}
	row, err := read(c, m)
	if err != nil {
		return nil, err
	}
	text, err := wire.Encode(row.Value)
	if err == nil {
		text, err = mask.Hidden(c).Drop(text)
	}
	if err == nil {
		text, err = w.Endpoint.Names.Rename(text)
	}
	if err != nil {
		return nil, err
	}
	var members map[string]jsontext.Value
	err = json.Unmarshal(text, &members)
	return members, err
}

// sameJSON compares two values by their canonical form. A value that is not valid JSON equals
// nothing.
func sameJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}
