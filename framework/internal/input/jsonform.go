package input

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// A Form is how the values of a type look in JSON. A type may be written in one
// and read in another, since methods of its own for either are its own choice.
type Form int

// The forms.
const (
	FormParts  Form = iota // an object or a list, part by part
	FormPlain              // text, a number or a boolean, as the type's kind is
	formTime               // RFC 3339
	formUUID               // its canonical text
	FormBytes              // base64
	formNumber             // a number of any length
	FormText               // text that the type itself makes or reads
	FormOwn                // JSON that the type itself makes or reads
	formAny                // any JSON value
)

// WrittenForm is the form in which a type, which is no pointer, is written.
func WrittenForm(t reflect.Type) Form {
	switch known := knownForm(t); {
	case known != FormParts:
		return known
	case t == reflect.TypeFor[json.Number]():
		return formNumber
	case implements[json.Marshaler](t), implements[interface{ MarshalJSONTo(*jsontext.Encoder) error }](t):
		return FormOwn
	case implements[encoding.TextMarshaler](t), implements[encoding.TextAppender](t):
		return FormText
	case wire.MakesJSON(t):
		return formAny // methods of its pointer run for some values and not for others
	}
	return kindForm(t)
}

// ReadForm is the form in which a type, which is no pointer, is read: as
// knownReader and kindReader read it.
func ReadForm(t reflect.Type) Form {
	switch known := knownForm(t); {
	case known != FormParts:
		return known
	case implements[json.Unmarshaler](reflect.PointerTo(t)):
		return FormOwn
	case readsText(t):
		return FormText
	}
	return kindForm(t)
}

// ParameterForm is the form in which [ParseValue] reads a type.
func ParameterForm(t reflect.Type) Form {
	switch known := knownForm(t); {
	case known != FormParts:
		return known
	case implements[encoding.TextUnmarshaler](reflect.PointerTo(t)):
		return FormText
	case implements[json.Unmarshaler](reflect.PointerTo(t)):
		return FormOwn
	}
	return kindForm(t)
}

// knownForm is the form of a type that is known by name, formParts for others.
func knownForm(t reflect.Type) Form {
	switch {
	case t == naming.TimeType:
		return formTime
	case t == naming.UUIDType:
		return formUUID
	case isJSON(t), t.Kind() == reflect.Interface:
		return formAny
	}
	return FormParts
}

// kindForm is the form of a type without methods of its own.
func kindForm(t reflect.Type) Form {
	switch {
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !wire.MakesJSON(t.Elem()) && !readsItself(t.Elem()):
		return FormBytes
	case KindSchema(t.Kind()) != nil:
		return FormPlain
	}
	return FormParts
}

func implements[T any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[T]()) }

// Schema returns the schema that all types of a form have. It is empty for objects, lists
// and types that make their own JSON.
func (f Form) Schema(t reflect.Type) wire.JSONSchema {
	switch f {
	case FormPlain:
		return KindSchema(t.Kind())
	case formTime:
		return wire.JSONSchema{"type": "string", "format": "date-time"}
	case formUUID:
		return wire.JSONSchema{"type": "string", "format": "uuid"}
	case FormBytes:
		return wire.JSONSchema{"type": "string", "contentEncoding": "base64"}
	case formNumber:
		return wire.JSONSchema{"type": "number"}
	case FormText:
		return wire.JSONSchema{"type": "string"}
	case FormParts, FormOwn, formAny:
	}
	return wire.JSONSchema{}
}

// Value returns a Go value as json.Unmarshal would give it. It returns false for a value
// that cannot be written, such as one of a type that only reads text.
func (f Form) Value(v reflect.Value) (any, bool) {
	switch f {
	case FormPlain:
		return plainValue(v), true
	case FormText:
		if by, ok := reflect.TypeAssert[encoding.TextMarshaler](v); ok {
			text, err := by.MarshalText()
			return string(text), err == nil
		}
	case FormOwn:
		if by, ok := reflect.TypeAssert[json.Marshaler](v); ok {
			var value any
			text, err := by.MarshalJSON()
			return value, err == nil && json.Unmarshal(text, &value) == nil
		}
	case FormParts, formTime, formUUID, FormBytes, formNumber, formAny:
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

// ValueWords are values as clients write them, in text of their own.
func ValueWords(values []reflect.Value) []string {
	var words []string
	for _, v := range values {
		value, told := ReadForm(v.Type()).Value(v)
		if !told {
			value = plainValue(v)
		}
		words = append(words, fmt.Sprint(value))
	}
	return words
}

// A SchemaTeller is a type that is read or written as JSON by its own methods. Without
// JSONSchemaBytes the OpenAPI document allows it any value.
type SchemaTeller interface {
	// JSONSchemaBytes returns the JSON Schema of its values. It is called on
	// the type's zero value.
	JSONSchemaBytes() ([]byte, error)
}

// ownKind is the kind of JSON that a type reads, by its own schema; 0 for any.
func ownKind(t reflect.Type) jsontext.Kind {
	described, ok := reflect.TypeAssert[SchemaTeller](reflect.New(t))
	if !ok || t.Kind() == reflect.Interface {
		return 0
	}
	var schema struct {
		Type any `json:"type"`
	}
	text, err := described.JSONSchemaBytes()
	if err != nil || json.Unmarshal(text, &schema) != nil {
		return 0 // the OpenAPI document reports it
	}
	name, _ := schema.Type.(string)
	return map[string]jsontext.Kind{
		"number": jsontext.KindNumber, "integer": jsontext.KindNumber, "string": jsontext.KindString,
		"object": jsontext.KindBeginObject, "array": jsontext.KindBeginArray,
	}[name]
}

// KindSchema is the schema of a value of a kind.
func KindSchema(k reflect.Kind) wire.JSONSchema {
	switch k {
	case reflect.Bool:
		return wire.JSONSchema{"type": "boolean"}
	case reflect.String:
		return wire.JSONSchema{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return wire.JSONSchema{"type": "number"}
	case reflect.Int64, reflect.Int:
		return wire.JSONSchema{"type": "integer", "format": "int64"}
	case reflect.Uint64, reflect.Uint:
		return wire.JSONSchema{"type": "integer", "format": "int64", "minimum": 0}
	}
	if naming.IsInteger(k) {
		return smallInteger(k)
	}
	return nil
}

// smallInteger has bounds of its own.
func smallInteger(k reflect.Kind) wire.JSONSchema {
	bits := map[reflect.Kind]int{
		reflect.Int8: 7, reflect.Int16: 15, reflect.Int32: 31, reflect.Uint8: 8, reflect.Uint16: 16, reflect.Uint32: 32,
	}[k]
	least := int64(0)
	if k <= reflect.Int64 {
		least = -1 << bits
	}
	return wire.JSONSchema{"type": "integer", "minimum": least, "maximum": int64(1)<<bits - 1}
}
