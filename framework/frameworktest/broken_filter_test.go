package frameworktest

import (
	"errors"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// brokenFilter reads the parameter name with a function.
type brokenFilter func(value string) (framework.Narrow, error)

func (b brokenFilter) Bind(*framework.Facts) (framework.BoundFilter, error) {
	return framework.BoundFilter{Params: []framework.Param{{Name: "name"}}, Read: func(_ *framework.Call, v framework.Values) (framework.Narrow, error) {
		return b(v["name"])
	}}, nil
}

// unread is a filter without parameters.
type unread struct{}

func (unread) Bind(*framework.Facts) (framework.BoundFilter, error) {
	return framework.BoundFilter{}, nil
}

func narrowing(fn framework.Narrow) brokenFilter {
	return func(string) (framework.Narrow, error) { return fn, nil }
}

func TestBrokenFiltersFail(t *testing.T) {
	for name, test := range map[string]struct {
		filter framework.Filter
		want   string
	}{
		"reads nothing":  {unread{}, "the filter reads nothing"},
		"keeps all rows": {narrowing(nil), "?name=row+03 lists the rows"},
		"puts a value into the text": {brokenFilter(func(value string) (framework.Narrow, error) {
			return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.name = '" + value + "'") }, nil
		}), "the sent value is part of the text of the statement"},
		"multiplies rows": {narrowing(func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Join("JOIN frameworktest_rows AS other ON other.number < 3")
		}), "a filter must not multiply rows"},
		"narrows only every other query": {odd(), "the pages list 12 rows, and the counts are"},
		"fails with an error of its own": {brokenFilter(func(string) (framework.Narrow, error) {
			return nil, errors.New("no such colour")
		}), "status 500; want 200, or 400"},
		"blames another parameter": {brokenFilter(func(string) (framework.Narrow, error) {
			return nil, framework.InvalidParameter("other", "must be another")
		}), "the error must name a parameter of the filter"},
		"rejects with another code": {brokenFilter(func(string) (framework.Narrow, error) {
			return nil, framework.Refuse(400, "colour_unknown", "There is no such colour.")
		}), `error code "colour_unknown"; want "invalid_parameter"`},
	} {
		t.Run(name, func(t *testing.T) {
			db := emptyDatabase(t)
			wantFailure(t, test.want, func(tb testing.TB) {
				checkFilter(tb, db, test.filter, []FilterCase{{Query: "name=row+03", Numbers: []int64{3}}})
			})
		})
	}
}

// odd returns a filter whose condition depends on the number of calls.
func odd() framework.Filter {
	return brokenFilter(func(value string) (framework.Narrow, error) {
		calls := 0
		return func(q *bun.SelectQuery) *bun.SelectQuery {
			if calls++; calls == 1 {
				return q
			}
			return q.Where("?TableAlias.name = ?", sqldb.Param(value))
		}, nil
	})
}
