package bind

import (
	"reflect"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// checkExpression reports expressions of a viewset without a list, and notes the fields by which they find rows. An
// index serves comparisons for equality; numbers, times and booleans are rarely compared so.
func checkExpression(r *table.Resource, fault func(error)) {
	if r.Expression == nil {
		return
	}
	if !hasList(r) {
		fault(naming.Sentence("no list can be filtered; declare the verb List or an action of framework.Lists, or leave FilterExpression out"))
	}
	for _, f := range r.Expression.Fields {
		r.Seeks("filter expression", f.Ordered() || f.Type.Kind() == reflect.Bool, []query.Field{f.Field})
	}
}
