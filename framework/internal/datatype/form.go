package datatype

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// A Form is how the values of a type look in JSON. A type with methods of its own may be
// written in one form and read in another.
type Form int

// The forms.
const (
	FormParts  Form = iota // an object or an array, read and written part by part
	FormPlain              // text, a number or a boolean, by the kind of the type
	formTime               // RFC 3339
	formUUID               // its canonical text
	FormBytes              // base64
	formNumber             // a number of any length
	FormText               // text that a method of the type writes or reads
	FormOwn                // JSON that a method of the type writes or reads
	formAny                // any JSON value
)

// WrittenForm returns the form in which values of a type are written. The type is no pointer.
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

// ReadForm returns the form in which a body has values of a type. The type is no pointer.
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

// ParameterForm returns the form in which [ParseValue] reads a type.
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

// knownForm returns the form of time.Time, of uuid.UUID, of the types of [IsJSON] and of
// interfaces. It returns FormParts for other types.
func knownForm(t reflect.Type) Form {
	switch {
	case t == naming.TimeType:
		return formTime
	case t == naming.UUIDType:
		return formUUID
	case IsJSON(t), t.Kind() == reflect.Interface:
		return formAny
	}
	return FormParts
}

// kindForm returns the form of a type without methods of its own.
func kindForm(t reflect.Type) Form {
	switch {
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !wire.MakesJSON(t.Elem()) && !ReadsItself(t.Elem()):
		return FormBytes
	case KindSchema(t.Kind()) != nil:
		return FormPlain
	}
	return FormParts
}

func implements[T any](t reflect.Type) bool { return t.Implements(reflect.TypeFor[T]()) }

// Schema returns the schema of the form for a type. It is empty for FormParts, FormOwn and
// formAny.
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

// Value returns the text, number or boolean of a plain value, the text of MarshalText for
// FormText, or what json.Unmarshal reads from MarshalJSON for FormOwn. It returns false for every
// other form, for a value without that method, and if the method fails.
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
			if err == nil {
				err = json.Unmarshal(text, &value)
			}
			return value, err == nil
		}
	case FormParts, formTime, formUUID, FormBytes, formNumber, formAny:
	}
	return nil, false
}

// plainValue returns a value without the methods of its type.
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

// ValueWords returns values as texts for messages: strings without quotes, and numbers and
// booleans as package fmt prints them.
func ValueWords(values []reflect.Value) []string {
	var words []string
	for _, v := range values {
		value, ok := ReadForm(v.Type()).Value(v)
		if !ok {
			value = plainValue(v)
		}
		words = append(words, fmt.Sprint(value))
	}
	return words
}

// A SchemaTeller is a type that returns the JSON Schema of its values. It is for a type whose own
// methods read or write JSON: without a schema, the OpenAPI document allows any value for it.
type SchemaTeller interface {
	// JSONSchemaBytes returns the JSON Schema of its values. It is called on
	// the type's zero value.
	JSONSchemaBytes() ([]byte, error)
}

// SchemaKind returns the kind of JSON that the schema of a [SchemaTeller] requires: a number, a
// string, an object or an array. It returns 0 for any other schema and any other type.
func SchemaKind(t reflect.Type) jsontext.Kind {
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

// KindSchema returns the schema of plain values of a kind, or nil if the kind is not plain.
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

// smallInteger returns the schema of an integer of less than 64 bits, with its bounds.
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
