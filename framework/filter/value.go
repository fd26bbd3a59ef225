package filter

import (
	"cmp"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

var (
	timeType = reflect.TypeFor[time.Time]()
	uuidType = reflect.TypeFor[uuid.UUID]()
)

// where is a condition on one column. The text is a constant of this package, and the
// value an argument of the statement.
func where(c *framework.Call, condition string, f framework.Field, value any) framework.Narrow {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where(condition, f.SQL(c), sqldb.Param(value))
	}
}

// compareColumn returns a function that reads a value and returns the condition that compares
// the column with it, or the error of [framework.Field.Parse].
func compareColumn(condition string, f framework.Field) func(*framework.Call, string) (framework.Narrow, error) {
	return func(c *framework.Call, text string) (framework.Narrow, error) {
		v, err := f.Parse(text)
		if err != nil {
			return nil, err
		}
		return where(c, condition, f, v), nil
	}
}

// orderedCheck returns a check for columns that both databases order in the same way.
func orderedCheck(constructor string) func(framework.Field) error {
	return func(f framework.Field) error {
		if f.Ordered() {
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
