package framework

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// A form is how the values of a type look in JSON. A type may be written in one
// and read in another, since methods of its own for either are its own choice.
type form int

const (
	formParts  form = iota // an object or a list, part by part
	formPlain              // text, a number or a boolean, as the type's kind is
	formTime               // RFC 3339
	formUUID               // its canonical text
	formBytes              // base64
	formNumber             // a number of any length
	formText               // text that the type itself makes or reads
	formOwn                // JSON that the type itself makes or reads
	formAny                // whatever it holds
)

// writtenForm is the form in which a type, which is no pointer, is written.
func writtenForm(t reflect.Type) form {
	switch known := knownForm(t); {
	case known != formParts:
		return known
	case t == reflect.TypeFor[json.Number]():
		return formNumber
	case implements[json.Marshaler](t), implements[interface{ MarshalJSONTo(*jsontext.Encoder) error }](t):
		return formOwn
	case implements[encoding.TextMarshaler](t), implements[encoding.TextAppender](t):
		return formText
	case makesJSON(t):
		return formAny // methods of its pointer run for some values and not for others
	}
	return kindForm(t)
}

// readForm is the form in which a type, which is no pointer, is read: as
// knownReader and kindReader read it.
func readForm(t reflect.Type) form {
	switch known := knownForm(t); {
	case known != formParts:
		return known
	case implements[json.Unmarshaler](reflect.PointerTo(t)):
		return formOwn
	case readsText(t):
		return formText
	}
	return kindForm(t)
}

// askedForm is the form in which [ParseValue] reads a type.
func askedForm(t reflect.Type) form {
	switch known := knownForm(t); {
	case known != formParts:
		return known
	case implements[encoding.TextUnmarshaler](reflect.PointerTo(t)):
		return formText
	case implements[json.Unmarshaler](reflect.PointerTo(t)):
		return formOwn
	}
	return kindForm(t)
}

// knownForm is the form of a type that is known by name, formParts for others.
func knownForm(t reflect.Type) form {
	switch {
	case t == timeType:
		return formTime
	case t == uuidType:
		return formUUID
	case isJSON(t), t.Kind() == reflect.Interface:
		return formAny
	}
	return formParts
}

// kindForm is the form of a type without methods of its own.
func kindForm(t reflect.Type) form {
	switch {
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !makesJSON(t.Elem()) && !readsItself(t.Elem()):
		return formBytes
	case kindSchema(t.Kind()) != nil:
		return formPlain
	}
	return formParts
}

func implements[T any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[T]()) }

// schema is what there is to say of all types of a form; of those that have
// parts, or are what they are, nothing.
func (f form) schema(t reflect.Type) jsonSchema {
	switch f {
	case formPlain:
		return kindSchema(t.Kind())
	case formTime:
		return jsonSchema{"type": "string", "format": "date-time"}
	case formUUID:
		return jsonSchema{"type": "string", "format": "uuid"}
	case formBytes:
		return jsonSchema{"type": "string", "contentEncoding": "base64"}
	case formNumber:
		return jsonSchema{"type": "number"}
	case formText:
		return jsonSchema{"type": "string"}
	case formParts, formOwn, formAny:
	}
	return jsonSchema{}
}

// value is a Go value in a form, as Go reads JSON; false if it cannot be told,
// as of a type that reads text and does not write it.
func (f form) value(v reflect.Value) (any, bool) {
	switch f {
	case formPlain:
		return plainValue(v), true
	case formText:
		if by, ok := reflect.TypeAssert[encoding.TextMarshaler](v); ok {
			text, err := by.MarshalText()
			return string(text), err == nil
		}
	case formOwn:
		if by, ok := reflect.TypeAssert[json.Marshaler](v); ok {
			var value any
			text, err := by.MarshalJSON()
			return value, err == nil && json.Unmarshal(text, &value) == nil
		}
	case formParts, formTime, formUUID, formBytes, formNumber, formAny:
	}
	return nil, false
}

// plainValue is a value without the methods of its type.
func plainValue(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	case v.CanFloat():
		return v.Float()
	}
	return v.Interface()
}

// valueWords are values as clients write them, in text of their own.
func valueWords(values []reflect.Value) []string {
	var words []string
	for _, v := range values {
		value, told := readForm(v.Type()).value(v)
		if !told {
			value = plainValue(v)
		}
		words = append(words, fmt.Sprint(value))
	}
	return words
}
