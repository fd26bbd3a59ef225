package filter

import (
	"fmt"
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// Flag keeps the rows whose field, a boolean, is true if the parameter is true. If it is
// false, the filter has no effect, as without the parameter. Use [Exact] if false
// should select the other rows.
func Flag(param, field string) Backend {
	return onField(field, checkBoolean, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Type: f.Type, Doc: fmt.Sprintf("Only rows whose %s is true; false is no filter.", field)}
		return markScan(withParam(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			v, err := f.Parse(text)
			if err != nil || !reflect.ValueOf(v).Bool() {
				return nil, err
			}
			return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", f.SQL(c)) }, nil
		}))
	})
}

func checkBoolean(f framework.Field) error {
	if f.Type.Kind() == reflect.Bool {
		return nil
	}
	return fmt.Errorf("field %q is %s; filter.Flag takes a boolean", f.Name, f.Type)
}
