package frameworktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// mostRows is the maximum number of rows in the suite for pagination.
const mostRows = 2100

// TestPagination checks a pagination class on both databases against the contract of
// [framework.Pagination].
//
// Without parameters there must be a first window. For any values Window must return a
// valid window or an error of status 400 to 499. Envelope must contain the rows exactly
// once. A walk from the first window, by the links of the answers or else by a parameter,
// must find every row exactly once, for several lengths of a list. A class without
// parameters has one window. Links must be absolute, answer 200 and keep the other
// parameters.
func TestPagination(t *testing.T, p framework.Pagination) {
	t.Helper()
	Databases(t, func(t *testing.T, db *sqldb.DB) {
		t.Helper()
		checkPagination(t, db, p)
	})
}

func checkPagination(tb testing.TB, db *sqldb.DB, p framework.Pagination) {
	tb.Helper()
	s := &pageSuite{tb: tb, class: p}
	first, err := s.callWindow(framework.Values{})
	if err != nil || !isPossible(first) {
		tb.Fatalf("without parameters the window is %+v, error %v; want a limit of at least 1 and an offset of at least 0", first, err)
	}
	rows := int(min(2*first.Limit+1, mostRows))
	createRows(tb, db, rows)
	s.client = serveRows(tb, db, s, numberMax{})
	s.checkParams()
	for _, values := range s.hostile() {
		s.checkWindow(values)
		s.sendValues(values)
	}
	s.checkTogether()
	for _, length := range lengths(int(first.Limit), rows) {
		s.walk(length)
	}
}

// lengths returns list lengths around the sizes of no page, one page and two pages, up to rows.
func lengths(limit, rows int) []int {
	all := []int{0, 1, limit - 1, limit, limit + 1, 2 * limit, rows}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(n int) bool { return n < 0 || n > rows })
}

func isPossible(w framework.Window) bool {
	return w.Limit >= 1 && w.Offset >= 0 && w.Offset <= math.MaxInt64-w.Limit-1
}

// numberMax is a filter that makes lists of different lengths.
type numberMax struct{}

const numberMaxParam = "frameworktest_max"

func (numberMax) Bind(f *framework.Facts) (framework.BoundFilter, error) {
	field, err := f.Field("number")
	return framework.BoundFilter{
		Params: []framework.Param{{Name: numberMaxParam}},
		Read: func(_ *framework.Call, v framework.Values) (framework.Narrow, error) {
			return func(q *bun.SelectQuery) *bun.SelectQuery {
				most, _ := strconv.ParseInt(v[numberMaxParam], 10, 64) // the suite sends a valid number
				return q.Where("? <= ?", field.Ident(), sqldb.Param(most))
			}, nil
		},
	}, err
}

// A pageSuite is the pagination class of the API. It calls the class under test and
// records the calls.
type pageSuite struct {
	tb     testing.TB
	class  framework.Pagination
	client *Client

	mu   sync.Mutex
	last seenPage
}

// A seenPage is a recorded call of Envelope.
type seenPage struct {
	framework.Page

	envelope framework.Envelope
	links    []string
}

func (s *pageSuite) seen() seenPage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Params implements [framework.Pagination].
func (s *pageSuite) Params() []framework.Param { return s.class.Params() }

// Window implements [framework.Pagination].
func (s *pageSuite) Window(v framework.Values) (framework.Window, error) { return s.class.Window(v) }

// Envelope implements [framework.Pagination].
func (s *pageSuite) Envelope(p framework.Page) (framework.Envelope, error) {
	seen := seenPage{Page: p}
	p.Link = func(replace url.Values) string {
		address := seen.Link(replace)
		seen.links = append(seen.links, address)
		return address
	}
	var err error
	seen.envelope, err = s.class.Envelope(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = seen
	return seen.envelope, err
}

func (s *pageSuite) checkParams() {
	s.tb.Helper()
	names := map[string]bool{}
	for _, p := range s.class.Params() {
		if p.Name == "" || names[p.Name] {
			s.tb.Errorf("parameter %q: the parameters of a class must have different names, and no name may be empty", p.Name)
		}
		names[p.Name] = true
	}
}

// hostile returns hostile values for each parameter alone and for all at once.
func (s *pageSuite) hostile() []framework.Values {
	var all []framework.Values
	for _, value := range hostileValues() {
		together := framework.Values{}
		for _, p := range s.class.Params() {
			all = append(all, framework.Values{p.Name: value})
			together[p.Name] = value
		}
		if len(together) > 1 {
			all = append(all, together)
		}
	}
	return all
}

func (s *pageSuite) checkWindow(v framework.Values) {
	s.tb.Helper()
	w, err := s.callWindow(v)
	var answer *framework.Error
	switch {
	case err == nil && !isPossible(w):
		s.tb.Errorf("Window(%v) is %+v; a limit must be at least 1, an offset at least 0, and their sum a whole number of 64 bits", v, w)
	case err != nil && (!errors.As(err, &answer) || answer.Status < 400 || answer.Status > 499):
		s.tb.Errorf("Window(%v) returns the error %v; want a *framework.Error of status 400 to 499", v, err)
	}
}

// callWindow calls Window and turns a panic into an error.
func (s *pageSuite) callWindow(v framework.Values) (w framework.Window, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a panic: %v", p)
		}
	}()
	return s.class.Window(v)
}

// sendValues sends the values. The server may reject them but must not fail.
func (s *pageSuite) sendValues(v framework.Values) {
	s.tb.Helper()
	query := url.Values{}
	for name, value := range v {
		query.Set(name, value)
	}
	if r := s.client.Get("/api/rows/?" + query.Encode()); r.Status() >= http.StatusInternalServerError {
		r.failf("status %d; want less than 500", r.Status())
	}
}

// checkTogether sends requests from several goroutines, also for the race detector.
func (s *pageSuite) checkTogether() {
	s.tb.Helper()
	alone := s.client.Get("/api/rows/").Body()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if got := s.client.Get("/api/rows/").Body(); got != alone {
				s.tb.Errorf("among other requests the answer is %s; alone it is %s", got, alone)
			}
		})
	}
	group.Wait()
}

// walk walks a list of some length from its first window to its last.
func (s *pageSuite) walk(length int) {
	s.tb.Helper()
	seen, limit := map[uuid.UUID]bool{}, int64(0)
	keep := numberMaxParam + "=" + strconv.Itoa(length)
	for at := "/api/rows/?" + keep; at != ""; {
		r := s.client.Get(at)
		if r.Status() != http.StatusOK {
			r.failf("status %d on the way through a list of %d rows; want 200", r.Status(), length)
			return
		}
		page := s.seen()
		limit = page.Limit
		rows, ok := page.rows(r)
		if !ok {
			return
		}
		for _, row := range rows {
			if seen[row.ID] {
				r.failf("row %d of %d is listed twice", row.Number, length)
				return
			}
			seen[row.ID] = true
		}
		s.follow(r, page.links, keep)
		at = s.next(page, keep)
	}
	want := length
	if len(s.class.Params()) == 0 {
		want = min(length, int(limit))
	}
	if len(seen) != want {
		s.tb.Errorf("a walk through a list of %d rows finds %d rows; want %d", length, len(seen), want)
	}
}

// rows returns the rows of an answer and checks the envelope.
func (s seenPage) rows(r *Response) (rows []rowView, ok bool) {
	r.tb.Helper()
	name, ok := s.member(r)
	if !ok {
		return nil, false
	}
	list := json.RawMessage(r.body)
	if name != "" {
		var body map[string]json.RawMessage
		r.JSON(&body)
		list = body[name]
	}
	if err := json.Unmarshal(list, &rows); err != nil {
		r.failf("the rows cannot be read: %v", err)
		return nil, false
	}
	if rows == nil || len(rows) != s.Rows {
		r.failf("the answer has %d rows; want the %d rows that were read", len(rows), s.Rows)
	}
	return rows, true
}

// member returns the name of the one member that contains the rows.
func (s seenPage) member(r *Response) (name string, ok bool) {
	r.tb.Helper()
	names, items := map[string]bool{}, 0
	for _, m := range s.envelope {
		if names[m.Name] || m.Name == "" && len(s.envelope) > 1 {
			r.failf("the envelope has the member %q; members need names, each once, unless there is only one", m.Name)
			return "", false
		}
		names[m.Name] = true
		if _, rows := m.Value.(framework.Items); rows {
			name = m.Name
			items++
		}
	}
	if items != 1 {
		r.failf("the envelope has the rows %d times; one member's value must be framework.Items{}", items)
	}
	return name, items == 1
}

// follow checks every link of the answer.
func (s *pageSuite) follow(r *Response, links []string, keep string) {
	s.tb.Helper()
	for _, address := range links {
		u, err := url.Parse(address)
		if err != nil || !u.IsAbs() || !strings.Contains(u.RawQuery, keep) {
			r.failf("the link %q must be an absolute URL that keeps %s", address, keep)
			continue
		}
		if to := s.client.Get(address); to.Status() != http.StatusOK {
			to.failf("a link of the answer leads to status %d; want 200", to.Status())
		}
	}
}

// next returns the address of the next window: a link, or a path with a parameter. It is
// empty at the end.
func (s *pageSuite) next(page seenPage, keep string) string {
	s.tb.Helper()
	if !page.More || len(s.class.Params()) == 0 {
		return ""
	}
	for _, address := range page.links {
		if u, err := url.Parse(address); err == nil && s.follows(page, u.Query()) {
			return address
		}
	}
	for _, p := range s.class.Params() {
		for _, n := range []int64{page.Number + 1, page.Offset + page.Limit} {
			query := url.Values{p.Name: {strconv.FormatInt(n, 10)}}
			if s.follows(page, query) {
				return "/api/rows/?" + keep + "&" + query.Encode()
			}
		}
	}
	s.tb.Errorf("rows follow the window %+v, but no link and no parameter leads to them", page.Window)
	return ""
}

// follows reports whether a query string gives the next window.
func (s *pageSuite) follows(page seenPage, query url.Values) bool {
	values := framework.Values{}
	for _, p := range s.class.Params() {
		values[p.Name] = query.Get(p.Name)
	}
	w, err := s.callWindow(values)
	if w.Keyset != nil {
		return err == nil && w.Keyset.Cursor == page.Next
	}
	return err == nil && w.Offset == page.Offset+page.Limit
}
