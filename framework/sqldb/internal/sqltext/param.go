package sqltext

import (
	"database/sql/driver"
	"math"
	"reflect"
	"time"

	"github.com/uptrace/bun/schema"
)

// Param is a value that stays a parameter: a Session writes $n (PostgreSQL)
// or ?n (SQLite) and sends the value beside the text; bun itself, or a
// database with NoPrepare, quotes it as bun quotes.
//
// Text, numbers, booleans, times, []byte, nil, pointers to them and
// driver.Valuer (uuid.UUID, as text) are parameters. Anything else is rendered
// as bun renders it, where its texts and times are parameters still. Text,
// times and []byte that reach bun without Param are parameters in a Session
// too; Param adds the numbers and booleans, so that statements that differ in
// those alone are one prepared statement. On PostgreSQL a parameter takes the
// type of what it is compared with or stored in: the server rejects 1.5 where it expects
// an integer.
func Param(v any) schema.QueryAppender { return param{v} }

type param struct{ value any }

func (p param) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	d, binds := gen.Dialect().(*binder)
	if !binds {
		return gen.Append(b, p.value), nil
	}
	v, known, err := driverValue(p.value)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return gen.Append(b, p.value), nil
	}
	switch v := v.(type) {
	case string:
		return d.AppendString(b, v), nil
	case time.Time:
		return d.AppendTime(b, v), nil
	}
	return d.bind(b, v), nil
}

// driverValue returns a value in a form that drivers take. known is false for a value that
// has no such form.
func driverValue(v any) (value driver.Value, known bool, err error) {
	switch v := v.(type) {
	case nil, string, int64, float64, bool, []byte, time.Time:
		return v, true, nil
	case int:
		return int64(v), true, nil
	case schema.QueryAppender:
		return nil, false, nil
	case driver.Valuer:
		if isNilPointer(v) {
			return nil, true, nil
		}
		value, err := v.Value()
		return value, err == nil && driver.IsValue(value), err
	}
	return reflectedValue(reflect.ValueOf(v))
}

func isNilPointer(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

func reflectedValue(r reflect.Value) (value driver.Value, known bool, err error) {
	switch r.Kind() {
	case reflect.Pointer:
		if r.IsNil() {
			return nil, true, nil
		}
		return driverValue(r.Elem().Interface())
	case reflect.String:
		return r.String(), true, nil
	case reflect.Bool:
		return r.Bool(), true, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int(), true, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return int64(r.Uint()), r.Uint() <= math.MaxInt64, nil //nolint:gosec // a larger one is not known
	case reflect.Float32, reflect.Float64:
		return r.Float(), true, nil
	}
	return nil, false, nil
}
