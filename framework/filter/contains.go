package filter

import (
	"fmt"
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// Contains keeps the rows whose field contains the text of the parameter of the same
// name, in any case (Unicode folding). % and _ are ordinary characters. It accepts text
// fields, and reads every row that the other filters keep. For a large table use
// framework.Search with a stored document. The databases differ slightly: see
// [trestle.example/framework/sqldb.Kind.ContainsFolded].
//
// The parameter may have another name than the field: Contains("author", "author.name").
func Contains(param string, field ...string) Backend {
	return onParam("Contains", param, field, func(field string) Backend { return contains(param, field) })
}

func contains(param, field string) Backend {
	return onField(field, checkText, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Doc: fmt.Sprintf("Only rows whose %s contains this text, in upper or lower case.", field)}
		return markScan(withParam(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			contains := c.Session().DB().Kind().ColumnContains(f.SQL(c), text)
			return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", contains) }, nil
		}))
	})
}

func checkText(f framework.Field) error {
	if f.Type.Kind() == reflect.String {
		return nil
	}
	return fmt.Errorf("field %q is %s; filter.Contains looks into text", f.Name, f.Type)
}
