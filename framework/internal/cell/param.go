package cell

import (
	"database/sql/driver"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// Of makes a row's value of a column a parameter.
func Of(f *schema.Field, m reflect.Value) schema.QueryAppender {
	return Param(f.Value(m), f)
}

// Param makes a Go value a parameter of its column's type. A zero value that stands for the
// column's default becomes the SQL of the default. A value that only bun can encode, such as
// JSON, becomes text of the statement.
func Param(v reflect.Value, f *schema.Field) schema.QueryAppender {
	if plain, ok := Storable(v, f); ok {
		return sqldb.Param(plain)
	}
	if defaults(v, f) {
		return bun.SafeQuery(f.SQLDefault)
	}
	return bunValue{f, reflect.Indirect(v)}
}

// defaults reports whether a value stands for the column's default: the value is zero, and the
// column is NOT NULL and has a default that replaces it.
func defaults(v reflect.Value, f *schema.Field) bool {
	return Defaults(f) && f.NotNull && f.IsZero(v)
}

// Storable converts a value to a type that [sqldb.Param] accepts; nil is NULL. It returns false
// if there is no such type, or if the value stands for the column's default.
func Storable(v reflect.Value, f *schema.Field) (any, bool) {
	switch {
	case defaults(v, f):
		return nil, false
	case f.IsPtr && v.IsNil() || f.NullZero && f.IsZero(v):
		return nil, true
	}
	v = reflect.Indirect(v)
	switch x := v.Interface().(type) {
	case time.Time, uuid.UUID, []byte, driver.Valuer:
		return x, true
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Bool:
		return v.Bool(), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return int64(v.Uint()), true //nolint:gosec // the decoder accepts at most 63 bits
	case reflect.Float32, reflect.Float64:
		return v.Float(), true
	}
	return nil, false
}

// bunValue is a value that bun encodes.
type bunValue struct {
	field *schema.Field
	value reflect.Value
}

func (b bunValue) AppendQuery(gen schema.QueryGen, to []byte) ([]byte, error) {
	v := b.value
	if b.field.IsPtr {
		v = b.value.Addr()
	}
	return b.field.Append(gen, to, v), nil
}
