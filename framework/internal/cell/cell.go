package cell

import (
	"reflect"

	"github.com/uptrace/bun/schema"
)

// IsNull reports whether the value of a field is stored as NULL: a nil pointer, or the zero value of a field with nullzero.
func IsNull(f *schema.Field, row reflect.Value) bool {
	v := f.Value(row)
	return v.Kind() == reflect.Pointer && v.IsNil() || f.NullZero && f.HasZeroValue(row)
}

// Value returns a value of a field, which may be a pointer to the type of the value.
func Value(f *schema.Field, of any) reflect.Value {
	v := reflect.ValueOf(of)
	if !f.IsPtr {
		return v
	}
	to := reflect.New(f.IndirectType)
	to.Elem().Set(v)
	return to
}

// MadeByDatabase reports whether the database generates the value of a new row's column: the
// value is zero, and the column is an auto-increment key or has a default that replaces it.
func MadeByDatabase(f *schema.Field, m reflect.Value) bool {
	return (f.IsPK && f.AutoIncrement || Defaults(f)) && f.HasZeroValue(m)
}

// Defaults reports whether the default of a column replaces the zero value of a new row: the column
// is nullzero, or a pointer that is notnull.
func Defaults(f *schema.Field) bool {
	return f.SQLDefault != "" && (f.NullZero || f.NotNull && f.IsPtr)
}
