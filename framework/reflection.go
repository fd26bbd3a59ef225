package framework

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/uptrace/bun/schema"
)

var (
	timeType = reflect.TypeFor[time.Time]()
	uuidType = reflect.TypeFor[uuid.UUID]()
)

// sentence makes an error that a developer or a client reads as it is.
func sentence(format string, args ...any) error { return fmt.Errorf(format, args...) }

// didYouMean names the nearest known name, or nothing.
func didYouMean(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// noField says that a model has no such Go field, and which comes nearest.
func noField(place, name string, table *schema.Table, model string) error {
	known := relationNames(table)
	for _, f := range table.Fields {
		known = append(known, f.GoName)
	}
	return sentence("%s: no field %q in %s%s", place, name, model, didYouMean(name, known))
}

// twoTypes says that a shape's field differs from the model's.
func twoTypes(shape reflect.Type, name string, t reflect.Type, column *schema.Field) error {
	model := column.Table.Type.Name()
	return sentence("%s.%s is %s, but %s.%s is %s; give both one type", shape.Name(), name, t, model, name, column.StructField.Type)
}

func relationNames(table *schema.Table) []string {
	names := make([]string, 0, len(table.Relations))
	for name := range table.Relations {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// columnOf finds a model's column by its Go field name.
func columnOf(table *schema.Table, goName string) *schema.Field {
	for _, f := range table.Fields {
		if f.GoName == goName {
			return f
		}
	}
	return nil
}

// jsonName is the client's name of a shape's field.
func jsonName(f reflect.StructField) string {
	return cmp.Or(taggedName(f), f.Name)
}

// taggedName is the name that a field's tag gives it, "" for none.
func taggedName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// hasOption reports whether a field's tag has an option behind the name.
func hasOption(f reflect.StructField, option string) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return slices.Contains(strings.Split(options, ","), option)
}

// indirect is a type without its pointer.
func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// quote makes an SQL identifier of a name of the program.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// nilModel is a typed nil pointer, which names a model to bun without a row.
func nilModel(t reflect.Type) any { return reflect.Zero(reflect.PointerTo(t)).Interface() }

// parseKey parses the text of a path or a reference as a key of type t.
func parseKey(t reflect.Type, text string) (any, bool) {
	switch {
	case t == uuidType:
		id, err := uuid.Parse(text)
		return id, err == nil && len(text) == 36
	case t.Kind() == reflect.String:
		return text, text != "" && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
	}
	v, err := ParseValue(t, text)
	return v, err == nil
}

// ParseValue parses the text of a query parameter as a value of type t: text,
// whole and decimal numbers, true/false/1/0, UUIDs, RFC 3339 times, and
// whatever implements [encoding.TextUnmarshaler] or else [json.Unmarshaler], in
// the form that it reads, and says why not by a [ValueError]. A value of an [Enumerated] type is one of its values. The error
// says what the parameter takes: "must be a whole number".
func ParseValue(t reflect.Type, text string) (any, error) {
	v, err := parseValue(t, text)
	if err != nil {
		return nil, err
	}
	values, err := enumValues(t)
	if err != nil {
		return nil, err
	}
	if !isAmong(reflect.ValueOf(v), values) {
		return nil, ValueError(OneOf(valueWords(values), text))
	}
	return v, nil
}

func parseValue(t reflect.Type, text string) (any, error) {
	v := reflect.New(t)
	switch p := v.Interface().(type) {
	case *time.Time:
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || !isStrictTime(text) {
			return nil, sentence("must be a time as RFC 3339 has it, such as 2026-01-31T09:00:00Z")
		}
		return at.UTC().Truncate(time.Microsecond), nil
	case *uuid.UUID:
		id, err := uuid.Parse(text)
		if err != nil || len(text) != 36 {
			return nil, sentence("must be an id, a UUID")
		}
		return id, nil
	case encoding.TextUnmarshaler:
		return accepted(v, p.UnmarshalText([]byte(text)))
	case json.Unmarshaler:
		return accepted(v, p.UnmarshalJSON(queryValue(t, text)))
	}
	if err := parseScalar(v.Elem(), text); err != nil {
		return nil, err
	}
	return v.Elem().Interface(), nil
}

// accepted is what a type of the program read, or why it did not, in its words.
func accepted(v reflect.Value, err error) (any, error) {
	if err == nil {
		return v.Elem().Interface(), nil
	}
	if said, ok := errors.AsType[ValueError](err); ok {
		return nil, said
	}
	return nil, ValueError("is not in the form that this parameter takes")
}

func parseScalar(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, ok := map[string]bool{"true": true, "1": true, "false": false, "0": false}[strings.ToLower(text)]
		if !ok {
			return sentence("must be true or false")
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := parseInt(text, v.Type().Bits())
		if err != nil {
			return err
		}
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := parseUint(text, v.Type().Bits())
		if err != nil {
			return err
		}
		v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		n, err := parseFloat(text, v.Type().Bits())
		if err != nil {
			return err
		}
		v.SetFloat(n)
	default:
		return sentence("cannot be given as text")
	}
	return nil
}

// readsItself reports whether a type has a method that reads JSON or text.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// isJSON reports whether a type keeps any JSON as it is.
func isJSON(t reflect.Type) bool {
	return t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[jsontext.Value]() || t.Kind() == reflect.Interface && t.NumMethod() == 0
}
