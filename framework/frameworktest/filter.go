package frameworktest

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A FilterCase is one query string with the expected result.
type FilterCase struct {
	// Query is the query string as it is sent: "number_min=3&note_null=true".
	Query string
	// Numbers are the numbers of the rows that must be listed, in ascending order.
	Numbers []int64
	// Invalid is the parameter that must be rejected with 400 invalid_parameter; then
	// Numbers is ignored. Defaults to none.
	Invalid string
}

// filterRows is the number of rows in the suite for filters.
const filterRows = 12

// TestFilter checks a filter on both databases against the contracts of
// [framework.Filter] and [framework.Narrow], and with your own cases. The viewset rows
// has twelve [Row]. A second viewset, active, has the rows with an even number; a filter
// may refer to it.
//
// In addition to the cases it sends hostile values for every parameter. Each answer must
// be 200, or 400 that names a parameter of the filter. The text of a statement must never
// contain a sent value. Each row must be listed once, and the count must be correct. Many
// requests at once must get the same answers as alone.
func TestFilter(t *testing.T, f framework.Filter, cases ...FilterCase) {
	t.Helper()
	Databases(t, func(t *testing.T, db *sqldb.DB) {
		t.Helper()
		checkFilter(t, db, f, cases)
	})
}

func checkFilter(tb testing.TB, db *sqldb.DB, f framework.Filter, cases []FilterCase) {
	tb.Helper()
	createRows(tb, db, filterRows)
	spy := &spiedFilter{Filter: f}
	s := filterSuite{tb: tb, client: serveRows(tb, db, steps{}, spy), counter: CountStatements(db), spy: spy}
	s.checkParams()
	for _, c := range cases {
		s.check(c)
	}
	for _, p := range spy.bound.Params {
		for _, value := range hostileValues() {
			s.attack(p.Name, value)
		}
	}
	s.checkTogether(cases)
	if all, _ := s.list(""); len(all) != filterRows {
		tb.Errorf("after the hostile values the table has %d rows; want the %d it had", len(all), filterRows)
	}
}

// A spiedFilter records how a filter was bound.
type spiedFilter struct {
	framework.Filter

	bound framework.BoundFilter
}

func (s *spiedFilter) Bind(f *framework.Facts) (bound framework.BoundFilter, err error) {
	s.bound, err = s.Filter.Bind(f)
	return s.bound, err
}

type filterSuite struct {
	tb      testing.TB
	client  *Client
	counter *Counter
	spy     *spiedFilter
}

func (s filterSuite) checkParams() {
	s.tb.Helper()
	names := map[string]bool{}
	for _, p := range s.spy.bound.Params {
		if p.Name == "" || names[p.Name] {
			s.tb.Errorf("parameter %q: the parameters of a filter must have different names, and no name may be empty", p.Name)
		}
		names[p.Name] = true
	}
	if len(names) == 0 || s.spy.bound.Read == nil {
		s.tb.Fatal("the filter reads nothing; Bind must return Params and Read")
	}
}

func (s filterSuite) check(c FilterCase) {
	s.tb.Helper()
	if c.Invalid != "" {
		s.client.Get("/api/rows/?"+c.Query).Expect(http.StatusBadRequest).
			Code(framework.CodeInvalidParameter).Fault(c.Invalid, framework.CodeInvalidParameter)
		return
	}
	if got, ok := s.list(c.Query); ok && !slices.Equal(got, c.Numbers) {
		s.tb.Errorf("?%s lists the rows %v; want %v", c.Query, got, c.Numbers)
	}
}

// attack sends a value that a filter may reject but must not fail on.
func (s filterSuite) attack(param, value string) {
	s.tb.Helper()
	query := url.Values{param: {value}}.Encode()
	statements := s.counter.During(func() {
		r := s.client.Get("/api/rows/?" + query)
		if r.Status() == http.StatusBadRequest {
			s.checkBlame(r)
			return
		}
		s.list(query)
	})
	for _, text := range statements {
		if strings.Contains(strings.ToLower(text), hostileMark) {
			s.tb.Errorf("?%s: the sent value is part of the text of the statement; pass it as an argument: %s", query, text)
		}
	}
}

// checkBlame checks that an error names only parameters of this filter.
func (s filterSuite) checkBlame(r *Response) {
	s.tb.Helper()
	r.Code(framework.CodeInvalidParameter)
	faults := r.problem().Errors
	if len(faults) == 0 {
		r.failf("the error names no parameter")
	}
	for _, f := range faults {
		own := slices.ContainsFunc(s.spy.bound.Params, func(p framework.Param) bool { return p.Name == f.Parameter })
		if !own || f.Detail == "" {
			r.failf("the error must name a parameter of the filter and what is wrong; it has %+v", f)
		}
	}
}

// list walks all pages of a query and returns the numbers of the rows, ascending. It
// checks that each row is listed once and that the count is correct.
func (s filterSuite) list(query string) (numbers []int64, ok bool) {
	s.tb.Helper()
	seen, counts := map[uuid.UUID]bool{}, map[int64]bool{}
	for step := 0; ; step++ {
		r := s.client.Get("/api/rows/?" + query + "&" + stepParam + "=" + strconv.Itoa(step))
		if r.Status() != http.StatusOK {
			r.failf("status %d; want 200, or 400 for a value that cannot be read", r.Status())
			return nil, false
		}
		var page stepPage
		r.JSON(&page)
		counts[page.Count] = true
		for _, row := range page.Rows {
			if seen[row.ID] {
				r.failf("row %d is listed twice; a filter must not multiply rows", row.Number)
				return nil, false
			}
			seen[row.ID] = true
			numbers = append(numbers, row.Number)
		}
		if page.More {
			continue
		}
		if len(counts) != 1 || !counts[int64(len(numbers))] {
			r.failf("the pages list %d rows, and the counts are %v", len(numbers), slices.Collect(maps.Keys(counts)))
			return nil, false
		}
		slices.Sort(numbers)
		return numbers, true
	}
}

// checkTogether sends the cases at once and compares the answers with those that each case
// gets alone.
func (s filterSuite) checkTogether(cases []FilterCase) {
	s.tb.Helper()
	alone := make([]string, len(cases))
	for i, c := range cases {
		alone[i] = answerOf(s.client.Get("/api/rows/?" + c.Query))
	}
	var group sync.WaitGroup
	for range 4 {
		for i, c := range cases {
			group.Go(func() {
				if got := answerOf(s.client.Get("/api/rows/?" + c.Query)); got != alone[i] {
					s.tb.Errorf("?%s: among other requests the answer is %s; alone it is %s", c.Query, got, alone[i])
				}
			})
		}
	}
	group.Wait()
}

// answerOf returns the part of an answer that is always the same.
func answerOf(r *Response) string {
	if r.Status() == http.StatusOK {
		return r.Body()
	}
	return fmt.Sprint(r.response.Status, r.problem().Errors)
}
