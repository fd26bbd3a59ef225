package wire

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"trestle.example/framework/internal/naming"
)

// IsNumber reports whether text is a JSON number. White space around it is allowed.
func IsNumber(text string) bool {
	v := jsontext.Value(text)
	return v.IsValid() && v.Kind() == '0'
}

// AppendJSON appends a text as a JSON string. It replaces invalid UTF-8 by U+FFFD.
func AppendJSON(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // the error only says that the text has invalid UTF-8
	return b
}

// wireFormat is how the API writes JSON: as encoding/json does, but a nil slice is
// [], a nil map is {}, and <, > and & are not escaped. A nil []byte is null.
var wireFormat = jsonv2.JoinOptions( //nolint:gochecknoglobals // a constant, which Go cannot write as one
	jsonv1.DefaultOptionsV1(),
	jsonv2.FormatNilSliceAsNull(false), jsonv2.FormatNilMapAsNull(false), jsontext.EscapeForHTML(false),
	jsonv2.WithMarshalers(jsonv2.JoinMarshalers(
		jsonv2.MarshalToFunc(writeNumber), jsonv2.MarshalToFunc(writeBytes),
	)),
)

// writeNumber writes a json.Number as encoding/json does: "" as 0, and text that is no
// number is an error. The name of a member is written as text.
func writeNumber(e *jsontext.Encoder, n json.Number) error {
	if kind, members := e.StackIndex(e.StackDepth()); kind == '{' && members%2 == 0 {
		return errors.ErrUnsupported // a name, which is written as text
	}
	if n == "" {
		n = "0"
	}
	if !IsNumber(string(n)) {
		return naming.Sentence("json.Number %q is no number", string(n))
	}
	return e.WriteValue(jsontext.Value(n))
}

// writeBytes writes nil bytes, a NULL of the database, as null. Other bytes are base64.
func writeBytes(e *jsontext.Encoder, b []byte) error {
	if b == nil {
		return e.WriteToken(jsontext.Null)
	}
	return errors.ErrUnsupported
}

// A selfEncoder writes itself as compact JSON in UTF-8.
type selfEncoder interface{ EncodeSelf() ([]byte, error) }

// Encode writes a value as compact JSON in UTF-8. It returns a [jsontext.Value] unchanged.
// A nil slice is [], a nil map is {}, and nil bytes are null.
func Encode(value any) ([]byte, error) {
	switch value := value.(type) {
	case jsontext.Value:
		return value, nil
	case selfEncoder:
		return value.EncodeSelf()
	}
	return jsonv2.Marshal(value, wireFormat)
}

// MakesJSON reports whether a type or its pointer has a method that writes JSON or text, or
// whether the type is json.Number.
func MakesJSON(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t == reflect.TypeFor[json.Number]() || p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) ||
		p.Implements(reflect.TypeFor[interface{ MarshalJSONTo(*jsontext.Encoder) error }]()) || p.Implements(reflect.TypeFor[encoding.TextAppender]())
}
