package filter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestConformance checks every backend against the contract of framework.Filter, and its
// results.
func TestConformance(t *testing.T) {
	all := numbers(1, 12)
	for name, test := range map[string]struct {
		filter framework.Filter
		cases  []frameworktest.FilterCase
	}{
		"exact text": {filter.Exact("name"), []frameworktest.FilterCase{
			{Query: "name=row+03", Numbers: numbers(3, 3)},
			{Query: "name=ROW+03"},
			{Query: "name=++row+03++", Numbers: numbers(3, 3)},
			{Query: "name=row+0%25"},
			{Query: "name=", Numbers: all},
			{Query: "name=row+03&name=row+04", Invalid: "name"},
		}},
		"exact number": {filter.Exact("number"), []frameworktest.FilterCase{
			{Query: "number=7", Numbers: numbers(7, 7)},
			{Query: "number=-7"},
			{Query: "number=7.0", Invalid: "number"},
			{Query: "number=seven", Invalid: "number"},
			{Query: "number=9223372036854775808", Invalid: "number"},
		}},
		"exact decimal number": {filter.Exact("price"), []frameworktest.FilterCase{
			{Query: "price=1.5", Numbers: numbers(3, 3)},
			{Query: "price=15e-1", Numbers: numbers(3, 3)},
			{Query: "price=NaN", Invalid: "price"},
			{Query: "price=1e400", Invalid: "price"},
			{Query: "price=-Inf", Invalid: "price"},
			{Query: "price=%2B1.5", Invalid: "price"},
			{Query: "price=%2B1e400", Invalid: "price"},
			{Query: "price=0x1.8p0", Invalid: "price"},
			{Query: "price=1_0", Invalid: "price"},
		}},
		"exact boolean": {filter.Exact("active"), []frameworktest.FilterCase{
			{Query: "active=TRUE", Numbers: []int64{2, 4, 6, 8, 10, 12}},
			{Query: "active=0", Numbers: []int64{1, 3, 5, 7, 9, 11}},
			{Query: "active=yes", Invalid: "active"},
		}},
		"exact time": {filter.Exact("at"), []frameworktest.FilterCase{
			{Query: "at=2026-01-01T12:00:00Z", Numbers: numbers(2, 2)},
			{Query: "at=2026-01-01T14:00:00%2B02:00", Numbers: numbers(2, 2)},
			{Query: "at=2026-01-01", Invalid: "at"},
			{Query: "at=0001-01-01T00:00:00Z"},
			{Query: "at=9999-12-31T23:59:59Z"},
			{Query: "at=0001-01-01T00:00:00%2B02:00", Invalid: "at"},
			{Query: "at=9999-12-31T23:59:59-01:00", Invalid: "at"},
		}},
		"exact under another name": {filter.Exact("key", "id"), []frameworktest.FilterCase{
			{Query: "key=" + frameworktest.RowID(9).String(), Numbers: numbers(9, 9)},
			{Query: "key=" + frameworktest.RowID(99).String()},
			{Query: "key=9", Invalid: "key"},
			{Query: "id=9", Numbers: all},
		}},
		"exact of a field that may be null": {filter.Exact("note"), []frameworktest.FilterCase{
			{Query: "note=a+note", Numbers: []int64{1, 2, 4, 5, 7, 8, 10, 11}},
			{Query: "note=null"},
		}},
		"contains": {filter.Contains("name"), []frameworktest.FilterCase{
			{Query: "name=ROW+1", Numbers: numbers(10, 12)},
			{Query: "name=++ow+03++", Numbers: numbers(3, 3)},
			{Query: "name=row+0%25"},
			{Query: "name=r_w"},
			{Query: "name=", Numbers: all},
		}},
		"contains under another name, of a field that may be null": {filter.Contains("about", "note"), []frameworktest.FilterCase{
			{Query: "about=NOTE", Numbers: []int64{1, 2, 4, 5, 7, 8, 10, 11}},
			{Query: "about=null"},
			{Query: "note=nothing", Numbers: all},
		}},
		"choice": {filter.Choice("name", "row 01", "row 02", "row 99"), []frameworktest.FilterCase{
			{Query: "name=row+02", Numbers: numbers(2, 2)},
			{Query: "name=row+99"},
			{Query: "name=row+03", Invalid: "name"},
			{Query: "name=Row+01", Invalid: "name"},
		}},
		"choice of numbers": {filter.Choice("number", "1", "2"), []frameworktest.FilterCase{
			{Query: "number=1", Numbers: numbers(1, 1)},
			{Query: "number=01", Invalid: "number"},
		}},
		"minimum": {filter.Min("min_number", "number"), []frameworktest.FilterCase{
			{Query: "min_number=10", Numbers: numbers(10, 12)},
			{Query: "min_number=13"},
			{Query: "min_number=-9223372036854775808", Numbers: all},
			{Query: "min_number=1e1", Invalid: "min_number"},
		}},
		"minimum of a decimal number": {filter.Min("min_price", "price"), []frameworktest.FilterCase{
			{Query: "min_price=5.25", Numbers: numbers(11, 12)},
			{Query: "min_price=cheap", Invalid: "min_price"},
		}},
		"maximum of a time": {filter.Max("until", "at"), []frameworktest.FilterCase{
			{Query: "until=2026-01-02T00:00:00Z", Numbers: numbers(1, 3)},
			{Query: "until=2025-12-31T23:59:59.999999Z"},
			{Query: "until=tomorrow", Invalid: "until"},
		}},
		"range of numbers": {filter.Range("number"), []frameworktest.FilterCase{
			{Query: "number_min=3&number_max=5", Numbers: numbers(3, 5)},
			{Query: "number_min=11", Numbers: numbers(11, 12)},
			{Query: "number_max=2", Numbers: numbers(1, 2)},
			{Query: "number_min=4&number_max=4", Numbers: numbers(4, 4)},
			{Query: "number_min=5&number_max=4", Invalid: "number_min"},
			{Query: "number_min=5&number_max=4", Invalid: "number_max"},
			{Query: "number_min=x&number_max=y", Invalid: "number_min"},
			{Query: "number_min=x&number_max=y", Invalid: "number_max"},
			{Query: "number_min=x&number_max=4", Invalid: "number_min"},
		}},
		"range under other names": {filter.RangeAs("from", "to", "number"), []frameworktest.FilterCase{
			{Query: "from=4&to=6", Numbers: numbers(4, 6)},
			{Query: "from=4", Numbers: numbers(4, 12)},
			{Query: "to=6", Numbers: numbers(1, 6)},
			{Query: "to=0"},
			{Query: "from=6&to=4", Invalid: "from"},
			{Query: "from=6&to=4", Invalid: "to"},
			{Query: "from=x", Invalid: "from"},
			{Query: "number_min=4", Numbers: all},
		}},
		"flag": {filter.Flag("only_active", "active"), []frameworktest.FilterCase{
			{Query: "only_active=true", Numbers: []int64{2, 4, 6, 8, 10, 12}},
			{Query: "only_active=1", Numbers: []int64{2, 4, 6, 8, 10, 12}},
			{Query: "only_active=false", Numbers: all},
			{Query: "only_active=0", Numbers: all},
			{Query: "only_active=", Numbers: all},
			{Query: "only_active=yes", Invalid: "only_active"},
			{Query: "active=true", Numbers: all},
		}},
		"range of times": {filter.Range("at"), []frameworktest.FilterCase{
			{Query: "at_after=2026-01-01T12:00:00Z&at_before=2026-01-02T00:00:00Z", Numbers: numbers(2, 3)},
			{Query: "at_after=2026-01-01t12:00:00z&at_before=2026-01-02t00:00:00z", Numbers: numbers(2, 3)},
			{Query: "at_after=2016-12-31T23:59:60Z", Invalid: "at_after"},
			{Query: "at_after=2016-12-31t23:59:60z", Invalid: "at_after"},
			{Query: "at_after=2026-01-02T00:00:00Z&at_before=2026-01-02T00:00:00%2B01:00", Invalid: "at_before"},
			{Query: "at_min=2026-01-02T00:00:00Z", Numbers: all},
		}},
		"one of several": {filter.In("numbers", "number"), []frameworktest.FilterCase{
			{Query: "numbers=3,1,99", Numbers: []int64{1, 3}},
			{Query: "numbers=+2+,,+5+,", Numbers: []int64{2, 5}},
			{Query: "numbers=4,4,4", Numbers: numbers(4, 4)},
			{Query: "numbers=,", Numbers: all},
			{Query: "numbers=1,two", Invalid: "numbers"},
			{Query: "numbers=" + list(100), Numbers: all},
			{Query: "numbers=" + list(101), Invalid: "numbers"},
		}},
		"one of several ids": {filter.In("ids", "id"), []frameworktest.FilterCase{
			{Query: "ids=" + frameworktest.RowID(1).String() + "," + frameworktest.RowID(12).String(), Numbers: []int64{1, 12}},
		}},
		"null": {filter.IsNull("without_note", "note"), []frameworktest.FilterCase{
			{Query: "without_note=true", Numbers: []int64{3, 6, 9, 12}},
			{Query: "without_note=False", Numbers: []int64{1, 2, 4, 5, 7, 8, 10, 11}},
			{Query: "without_note=1", Numbers: []int64{3, 6, 9, 12}},
			{Query: "without_note=null", Invalid: "without_note"},
		}},
		"day": {filter.Date("on", "at"), []frameworktest.FilterCase{
			{Query: "on=2026-01-02", Numbers: numbers(3, 4)},
			{Query: "on=2025-12-31"},
			{Query: "on=9999-12-31"},
			{Query: "on=2026-02-30", Invalid: "on"},
			{Query: "on=2026-1-2", Invalid: "on"},
			{Query: "on=2026-01-02T00:00:00Z", Invalid: "on"},
			{Query: "on=0000-01-01", Invalid: "on"},
		}},
		"reference to a row of a public viewset": {filter.Reference("parent", "rows"), []frameworktest.FilterCase{
			{Query: "parent=" + frameworktest.RowID(1).String(), Numbers: []int64{2, 3}},
			{Query: "parent=" + frameworktest.RowID(99).String()},
			{Query: "parent=1", Invalid: "parent"},
		}},
		"reference that the target's scope narrows": {filter.Reference("parent", "active"), []frameworktest.FilterCase{
			{Query: "parent=" + frameworktest.RowID(2).String(), Numbers: []int64{4, 5}},
			{Query: "parent=" + frameworktest.RowID(1).String()},
		}},
		"function of one's own": {filter.Func("parity", "odd or even", parity), []frameworktest.FilterCase{
			{Query: "parity=odd", Numbers: []int64{1, 3, 5, 7, 9, 11}},
			{Query: "parity=any", Numbers: all},
			{Query: "parity=prime", Invalid: "parity"},
		}},
	} {
		t.Run(name, func(t *testing.T) { frameworktest.TestFilter(t, test.filter, test.cases...) })
	}
}

func parity(_ *framework.Call, value string) (framework.Narrow, error) {
	rest := map[string]int{"even": 0, "odd": 1}
	switch n, ok := rest[value]; {
	case value == "any":
		return nil, nil
	case !ok:
		return nil, framework.InvalidParameter("parity", "must be odd, even or any")
	default:
		return func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("?TableAlias.number % 2 = ?", sqldb.Param(n))
		}, nil
	}
}

func numbers(from, to int64) []int64 {
	var all []int64
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

// list returns "1,2,3,...,n".
func list(n int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers(1, int64(n))), "[]"), " ", ",")
}
