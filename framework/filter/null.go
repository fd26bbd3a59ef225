package filter

import (
	"fmt"
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// IsNull keeps the rows whose field is null, or the rows whose field is not. The
// parameter is true, false, 1 or 0, in any case. The field must be nullable: a pointer,
// or a column tagged nullzero. A path is always nullable: without a related row that has a
// value, it is null.
func IsNull(param, field string) Backend {
	return onPath(field, checkNullable, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Type: reflect.TypeFor[bool](), Doc: fmt.Sprintf("True for rows without a value of %s, false for those with one.", field)}
		return markScan(withParam(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			null, err := framework.ParseValue(p.Type, text)
			if err != nil {
				return nil, err
			}
			hasValue := func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("? IS NOT NULL", f.SQL(c)) }
			switch {
			case null == false:
				return f.Narrow(c, hasValue), nil
			case f.Related != nil:
				return except(c, f.Narrow(c, hasValue)), nil
			}
			return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("? IS NULL", f.SQL(c)) }, nil
		}))
	})
}

func checkNullable(f framework.Field) error {
	if f.Nullable {
		return nil
	}
	return fmt.Errorf("field %q is %s, which is never null; filter.IsNull takes a pointer or a column tagged nullzero", f.Name, f.Type)
}
