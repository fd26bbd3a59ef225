package expression

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// A form is how an expression writes the values of a field.
type form int

const (
	formText form = iota
	formTime
	formUUID
	formNumber
	formBoolean
	formOwn // as the type itself reads them: a text, or a number or a boolean without quotes
)

func formOf(f query.Field) form {
	p := reflect.PointerTo(f.Type)
	switch {
	case f.Type == naming.TimeType:
		return formTime
	case f.Type == naming.UUIDType:
		return formUUID
	case p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()), p.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return formOwn
	case f.Type.Kind() == reflect.Bool:
		return formBoolean
	case f.IsNumber():
		return formNumber
	}
	return formText
}

// takes returns the kind of values that a field of the form takes, and the sentence about any other. A field of the
// form of its own takes each kind, and the sentence is empty.
func (f form) takes() (Kind, string) {
	switch f {
	case formText:
		return Text, "must be a text in double quotes"
	case formTime:
		return Text, "must be a time in double quotes, such as \"2026-01-31T09:00:00Z\""
	case formUUID:
		return Text, "must be an id, a UUID in double quotes"
	case formNumber:
		return Number, "must be a number without quotes"
	case formBoolean:
		return Boolean, "must be true or false without quotes"
	case formOwn:
	}
	return Text, ""
}

// valueOf reads a value as one of a field. Null is nil.
func valueOf(f query.Field, v Value) (any, error) {
	if v.Kind == Null {
		return nil, nil
	}
	if kind, other := formOf(f).takes(); other != "" && v.Kind != kind {
		return nil, errors.New(other)
	}
	return f.Parse(v.Text)
}
