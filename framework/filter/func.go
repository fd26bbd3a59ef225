package filter

import (
	"fmt"

	"trestle.example/framework"
)

// Func is a filter of one's own over one parameter, described to clients by
// doc. The function gets the parameter's text, trimmed and never empty, and
// returns the condition, or nil to leave the list alone. It is called by many
// requests at once.
//
// Refuse a value with framework.InvalidParameter(param, "must be a colour");
// any other error is the server's fault, a 500 that says nothing of it. Values
// go into the condition as arguments and never as text:
//
//	q.Where("?TableAlias.colour = ?", sqldb.Param(value))
//
// where ?TableAlias is the table that is listed, under the name that the
// statement has for it, and colour a column.
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
