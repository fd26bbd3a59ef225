package query

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"time"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
)

// Parse reads the text of a parameter as a value of the type of the field. A time outside the years 1 to 9999 is an
// error.
func (f Field) Parse(text string) (any, error) {
	v, err := datatype.ParseValue(f.Type, text)
	if err != nil {
		return nil, err
	}
	// A time zone can move the first and the last day out of the years with four digits,
	// which is how databases write years.
	if at, ok := v.(time.Time); ok && (at.Year() < 1 || at.Year() > 9999) {
		return nil, errors.New("must be a time from the year 1 to the year 9999")
	}
	return v, nil
}

// Readable returns an error if the text of a parameter cannot be a value of the field.
func (f Field) Readable() error {
	k := f.Type.Kind()
	if f.Type == naming.TimeType || f.readsText() || k == reflect.String || k == reflect.Bool || f.IsNumber() {
		return nil
	}
	return fmt.Errorf("field %q is %s, which a query parameter cannot hold; filter a field of text, numbers, booleans, times or ids, or use filter.Func", f.Name, f.Type)
}

// Ordered reports whether both databases order the values of the field in the same way. They do so for numbers and
// times. Other types that read themselves from text, such as a decimal, count as ordered, except UUIDs. The order
// of text depends on the database.
func (f Field) Ordered() bool {
	return f.Type == naming.TimeType || f.IsNumber() || f.Type != naming.UUIDType && f.readsText()
}

// IsNumber reports whether the type of the field is of a numeric kind.
func (f Field) IsNumber() bool {
	k := f.Type.Kind()
	return naming.IsInteger(k) || k == reflect.Float32 || k == reflect.Float64
}

func (f Field) readsText() bool {
	return reflect.PointerTo(f.Type).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
