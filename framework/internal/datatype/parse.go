package datatype

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// ParseKey parses a key of type t from a path or a query string. It returns false if the text is
// not such a key. If t is of the kind string, the key is the text itself, as a string; it must be
// UTF-8, not empty and without NUL.
func ParseKey(t reflect.Type, text string) (any, bool) {
	switch {
	case t == naming.UUIDType:
		id, err := ParseUUID(text)
		return id, err == nil
	case t.Kind() == reflect.String:
		return text, text != "" && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
	}
	v, err := ParseValue(t, text)
	return v, err == nil
}

// ParseValue parses the text of a query parameter as a value of type t: text, whole and decimal
// numbers, true/false/1/0 in any case, UUIDs, RFC 3339 times, and types that implement
// [encoding.TextUnmarshaler] or else [json.Unmarshaler], in the form that they read. If this
// method fails, only a [problem.ValueError] is returned as it is. A value of an
// [Enumerated] type must be one of its values. The error states what the parameter accepts:
// "must be a whole number".
func ParseValue(t reflect.Type, text string) (any, error) {
	v, err := parseValue(t, text)
	if err != nil {
		return nil, err
	}
	values, err := EnumValues(t)
	if err != nil {
		return nil, err
	}
	if !IsAmong(reflect.ValueOf(v), values) {
		return nil, problem.ValueError(problem.OneOf(ValueWords(values), text))
	}
	return v, nil
}

func parseValue(t reflect.Type, text string) (any, error) {
	v := reflect.New(t)
	switch p := v.Interface().(type) {
	case *time.Time:
		return ParseTime(text)
	case *uuid.UUID:
		return ParseUUID(text)
	case encoding.TextUnmarshaler:
		return accepted(v, p.UnmarshalText([]byte(text)))
	case json.Unmarshaler:
		return accepted(v, p.UnmarshalJSON(QueryValue(t, text)))
	}
	if err := parseScalar(v.Elem(), text); err != nil {
		return nil, err
	}
	return v.Elem().Interface(), nil
}

// accepted returns the value that a type read by its own method. If the method failed, it returns
// the method's [problem.ValueError], or a general one if the error is of another type.
func accepted(v reflect.Value, err error) (any, error) {
	if err == nil {
		return v.Elem().Interface(), nil
	}
	if said, ok := errors.AsType[problem.ValueError](err); ok {
		return nil, said
	}
	return nil, problem.ValueError("is not in the form that this parameter takes")
}

func parseScalar(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, ok := map[string]bool{"true": true, "1": true, "false": false, "0": false}[strings.ToLower(text)]
		if !ok {
			return naming.Sentence("must be true or false")
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := ParseInt(text, v.Type().Bits())
		if err != nil {
			return err
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := ParseUint(text, v.Type().Bits())
		if err != nil {
			return err
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		n, err := ParseFloat(text, v.Type().Bits())
		if err != nil {
			return err
		}
		v.SetFloat(n)
	default:
		return naming.Sentence("cannot be given as text")
	}
	return nil
}

// ParseTime reads RFC 3339, but no leap second. T and Z may be small letters. The result is in
// UTC, cut off to whole microseconds, which both databases keep.
func ParseTime(text string) (time.Time, error) {
	text = strings.ToUpper(text)
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || !isStrictTime(text) {
		return time.Time{}, naming.Sentence("must be a time as RFC 3339 has it, such as 2026-01-31T09:00:00Z")
	}
	return t.UTC().Truncate(time.Microsecond), nil
}

// isStrictTime returns false for what [time.Parse] accepts beyond RFC 3339: an hour of one digit,
// a decimal comma, and an offset with 24 or more hours or with 60 or more minutes.
func isStrictTime(text string) bool {
	if len(text) < len("2006-01-02T15:04:05Z") || text[len("2006-01-02T15")] != ':' || strings.Contains(text, ",") {
		return false
	}
	offset := text[len(text)-len("+00:00"):]
	return strings.HasSuffix(text, "Z") || offset[1:3] <= "23" && offset[4:] <= "59"
}

// ParseUUID reads only the canonical form of RFC 9562, in upper or lower case.
func ParseUUID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		return uuid.UUID{}, naming.Sentence("must be an id, a UUID")
	}
	return id, nil
}

// QueryValue returns the JSON of a query parameter of type t: a boolean or a number if t is of
// such a kind and the text is one, and otherwise a string. For a type that is read from text
// ([encoding.TextUnmarshaler]) and not from JSON, it is always a string.
func QueryValue(t reflect.Type, text string) []byte {
	var truth bool
	switch kind := t.Kind(); {
	case readsText(t):
	case kind == reflect.Bool && parseScalar(reflect.ValueOf(&truth).Elem(), text) == nil:
		return strconv.AppendBool(nil, truth)
	case (naming.IsInteger(kind) || kind == reflect.Float32 || kind == reflect.Float64) && wire.IsNumber(text):
		return []byte(text)
	}
	return wire.AppendJSON(nil, text)
}

// readsText reports whether a type has the method UnmarshalText and not UnmarshalJSON.
func readsText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) && !p.Implements(reflect.TypeFor[json.Unmarshaler]())
}

// ReadsItself reports whether a type has a method that reads JSON or text.
func ReadsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// IsJSON reports whether a type stores any JSON: json.RawMessage, jsontext.Value, any, and other
// interfaces without methods.
func IsJSON(t reflect.Type) bool {
	return t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[jsontext.Value]() || t.Kind() == reflect.Interface && t.NumMethod() == 0
}

// IsPlain reports whether a type is a string, a boolean, a real number, [time.Time] or [uuid.UUID].
// A change to a copy of such a value does not change the value.
func IsPlain(t reflect.Type) bool {
	k := t.Kind()
	return t == naming.TimeType || t == naming.UUIDType ||
		k == reflect.String || k == reflect.Bool || naming.IsInteger(k) || k == reflect.Float32 || k == reflect.Float64
}
