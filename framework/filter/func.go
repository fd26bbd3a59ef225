package filter

import (
	"fmt"

	"trestle.example/framework"
)

// Func is a filter of your own with one parameter, which doc describes for clients. fn
// gets the text of the parameter, trimmed and never empty. It returns a condition, or nil
// for no effect. It must be safe for concurrent use.
//
// Reject a value with framework.InvalidParameter(param, "must be a colour"). Another
// [framework.Error] is answered with its own status. Any other error is answered 500, or
// 503 if the database does not answer, without details. Pass values to the condition as
// arguments, never as text:
//
//	q.Where("?TableAlias.colour = ?", sqldb.Param(value))
//
// Here ?TableAlias is the name that the statement uses for the table, and colour is a
// column.
func Func(param, doc string, fn func(c *framework.Call, value string) (framework.Narrow, error)) Backend {
	return Backend{name: param, bind: func(*framework.Facts) (framework.BoundFilter, error) {
		if fn == nil {
			return framework.BoundFilter{}, fmt.Errorf("filter.Func(%q) has no function", param)
		}
		return framework.BoundFilter{
			Params: []framework.Param{{Name: param, Doc: doc}},
			Read: func(c *framework.Call, v framework.Values) (framework.Narrow, error) {
				return fn(c, v[param])
			},
		}, nil
	}}
}
