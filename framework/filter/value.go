package filter

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

var (
	timeType      = reflect.TypeFor[time.Time]()
	uuidType      = reflect.TypeFor[uuid.UUID]()
	unmarshalType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// parse reads the text of a parameter as a value of the type of the column. A time outside the
// years 1 to 9999 is an error.
func parse(f framework.Field, text string) (any, error) {
	v, err := framework.ParseValue(f.Type, text)
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

// where is a condition on one column. The text is a constant of this package, and the
// value an argument of the statement.
func where(c *framework.Call, condition string, f framework.Field, value any) framework.Narrow {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where(condition, f.SQL(c), sqldb.Param(value))
	}
}

// compareColumn returns a function that reads a value and returns the condition that compares
// the column with it, or the error of [parse].
func compareColumn(condition string, f framework.Field) func(*framework.Call, string) (framework.Narrow, error) {
	return func(c *framework.Call, text string) (framework.Narrow, error) {
		v, err := parse(f, text)
		if err != nil {
			return nil, err
		}
		return where(c, condition, f, v), nil
	}
}

// checkReadable returns an error if a query parameter cannot hold a value of the column.
func checkReadable(f framework.Field) error {
	if f.Type == timeType || reflect.PointerTo(f.Type).Implements(unmarshalType) || isScalar(f.Type.Kind()) {
		return nil
	}
	return fmt.Errorf("field %q is %s, which a query parameter cannot hold; filter a field of text, numbers, booleans, times or ids, or use filter.Func", f.Name, f.Type)
}

func isScalar(k reflect.Kind) bool {
	return k == reflect.String || k == reflect.Bool || isNumeric(k)
}

func isNumeric(k reflect.Kind) bool {
	return k >= reflect.Int && k <= reflect.Uint64 || k == reflect.Float32 || k == reflect.Float64
}

// orderedCheck returns a check for columns that both databases order the same way. It
// accepts numbers and times. It accepts other types that read themselves from text, such as
// a decimal, and trusts that they are not stored as text. It rejects a UUID. It rejects
// text, because its order depends on the database.
func orderedCheck(constructor string) func(framework.Field) error {
	return func(f framework.Field) error {
		switch {
		case f.Type == timeType, isNumeric(f.Type.Kind()):
			return nil
		case f.Type != uuidType && reflect.PointerTo(f.Type).Implements(unmarshalType):
			return nil
		}
		return fmt.Errorf("field %q is %s; filter.%s compares numbers and times", f.Name, f.Type, constructor)
	}
}

// comparison returns a function that compares two values of a type and returns below 0, 0
// or above 0. It compares times, integers and floats by their value, and values of any other
// type by its method Compare or Cmp. It returns nil if such a type has neither method.
func comparison(t reflect.Type) func(a, b any) int {
	switch {
	case t == timeType:
		return func(a, b any) int { return a.(time.Time).Compare(b.(time.Time)) }
	case reflect.Zero(t).CanInt():
		return func(a, b any) int { return cmp.Compare(reflect.ValueOf(a).Int(), reflect.ValueOf(b).Int()) }
	case reflect.Zero(t).CanUint():
		return func(a, b any) int { return cmp.Compare(reflect.ValueOf(a).Uint(), reflect.ValueOf(b).Uint()) }
	case reflect.Zero(t).CanFloat():
		return func(a, b any) int { return cmp.Compare(reflect.ValueOf(a).Float(), reflect.ValueOf(b).Float()) }
	}
	return methodComparison(t)
}

func methodComparison(t reflect.Type) func(a, b any) int {
	for _, name := range []string{"Compare", "Cmp"} {
		m, ok := t.MethodByName(name)
		if !ok || m.Type != reflect.FuncOf([]reflect.Type{t, t}, []reflect.Type{reflect.TypeFor[int]()}, false) {
			continue
		}
		return func(a, b any) int {
			return int(m.Func.Call([]reflect.Value{reflect.ValueOf(a), reflect.ValueOf(b)})[0].Int())
		}
	}
	return nil
}
