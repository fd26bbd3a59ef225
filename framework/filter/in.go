package filter

import (
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// inLimit is how many values one parameter of [In] may have.
const inLimit = 100

// In keeps the rows whose field equals one of the values of the parameter, separated by
// commas. Blank values are skipped; if all are blank, the filter has no effect. More than
// 100 values are answered 400. It accepts the same types as [Exact]. A text that contains a
// comma cannot be selected.
func In(param, field string) Backend {
	return onField(field, framework.Field.Readable, func(f framework.Field) framework.BoundFilter {
		p := framework.Param{Name: param, Type: f.Type, Enum: f.Enum, List: true, Doc: fmt.Sprintf("Only rows whose %s is one of these, separated by commas; at most %d.", field, inLimit)}
		return markBoolean(f, withParam(p, func(c *framework.Call, text string) (framework.Narrow, error) {
			values, err := parseList(f, text)
			if err != nil || len(values) == 0 {
				return nil, err
			}
			return func(q *bun.SelectQuery) *bun.SelectQuery {
				return q.Where("? IN (?)", f.SQL(c), sqldb.List(values))
			}, nil
		}))
	})
}

// parseList reads the values of a list and skips blank ones. It returns nil if all are blank.
// The first invalid value, or more than inLimit values, is an error.
func parseList(f framework.Field, text string) ([]any, error) {
	var values []any
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if len(values) == inLimit {
			return nil, fmt.Errorf("must be at most %d values", inLimit)
		}
		v, err := f.Parse(part)
		if err != nil {
			return nil, fmt.Errorf("must be values separated by commas; each %w", err)
		}
		values = append(values, v)
	}
	return values, nil
}
