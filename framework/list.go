package framework

import (
	"database/sql"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A listing answers GET {path}/: scope, filter, search, order, page.
type listing struct {
	resource   *resource
	endpoint   handler
	shown      representation
	filters    []BoundFilter
	ranker     *BoundRanker
	pagination Pagination
}

// A listed question is a request's query, understood.
type listed struct {
	narrow  []Narrow
	search  Narrow // what the search finds; nil without one
	indexed bool   // an index of what a search stores finds the rows
	ranking *Ranking
	order   order
	window  Window

	searchInRow Narrow // search as a condition that no index finds rows by
}

func (l *listing) serve(c *Call, r *request) (*response, error) {
	asked, err := l.understand(c, r)
	if err != nil {
		return nil, err
	}
	page := Page{Window: asked.window, Link: l.linker(c, r)}
	read := l.page
	switch {
	case asked.ranking != nil:
		read = l.ranked
	case asked.indexed && asked.window.Counting.kind == countExact:
		read = l.searched
	}
	shown, err := read(c, asked, &page)
	if err != nil {
		return nil, err
	}
	envelope, err := l.pagination.Envelope(page)
	if err != nil {
		return nil, err
	}
	return &response{status: l.endpoint.statusOr(http.StatusOK), value: listAnswer{envelope: envelope, rows: shown.list()}}, nil
}

// understand reads every parameter and reports all that are wrong at once.
func (l *listing) understand(c *Call, r *request) (*listed, error) {
	var asked listed
	var faults problem.FaultList
	values, err := l.endpoint.ask(c, r.query)
	faults.Add(err)
	for _, f := range l.filters {
		if anyGiven(f.Params, values) {
			narrow, err := f.Read(c, values)
			asked.add(narrow)
			faults.Add(err)
		}
	}
	if s := l.resource.search; s != nil && values[s.Param] != "" {
		terms, err := s.read(values[s.Param])
		asked.search, asked.searchInRow = s.narrow(terms), s.narrowInRow(terms)
		asked.indexed = s.indexed(terms)
		faults.Add(err)
	}
	if l.ranker != nil && values[l.ranker.Param.Name] != "" {
		asked.ranking, err = l.ranker.Read(c, values[l.ranker.Param.Name])
		faults.Add(err)
	}
	asked.order, err = l.order(c, values)
	faults.Add(err)
	asked.window, err = l.pagination.Window(values)
	faults.Add(err)
	return &asked, faults.Err()
}

func (a *listed) add(n Narrow) {
	if n != nil {
		a.narrow = append(a.narrow, n)
	}
}

func anyGiven(params []Param, values Values) bool {
	for _, p := range params {
		if values[p.Name] != "" {
			return true
		}
	}
	return false
}

// order reads the ordering. A term outside the whitelist has no effect.
func (l *listing) order(c *Call, values Values) (order, error) {
	o := l.resource.ordering
	asked, ignored, err := o.read(values[o.Param])
	if err != nil {
		return asked, err
	}
	var faults []problem.Fault
	for _, term := range ignored {
		near := naming.Nearest(term, o.terms())
		if !l.resource.ignores(c, ignoredName(o.Param+"="+term, near)) {
			faults = append(faults, problem.Fault{
				Parameter: o.Param, Code: problem.CodeInvalidParameter, Detail: "cannot be " + strconv.Quote(term) + naming.Suggestion(near),
			})
		}
	}
	if len(faults) > 0 {
		return asked, problem.InvalidParameters(faults)
	}
	return asked, nil
}

// matching is the query of every row that the question asks for.
func (l *listing) matching(c *Call, asked *listed) *bun.SelectQuery {
	return l.where(c, append(slices.Clip(asked.narrow), asked.search))
}

// where is the query of the rows that satisfy every condition; a nil one is left out.
func (l *listing) where(c *Call, conditions []Narrow) *bun.SelectQuery {
	q := l.resource.rows(c)
	for _, n := range conditions {
		if n != nil {
			q = q.WhereGroup(" AND ", n)
		}
	}
	return q
}

// page reads one window of rows, one more to know whether others follow, and
// counts only where the rows do not already tell the total.
func (l *listing) page(c *Call, asked *listed, page *Page) (sentRows, error) {
	w := asked.window
	q, cut := l.rows(c, asked)
	shown, err := l.shown.Write(c, q, cut)
	if err != nil {
		return sentRows{}, err
	}
	page.Rows, page.More = shown.rows, shown.more
	if !page.More && (page.Rows > 0 || w.Offset == 0) {
		page.Total = Total{Count: w.Offset + int64(page.Rows), Known: true}
		return shown, nil
	}
	page.Total, err = l.count(c, asked)
	return shown, err
}

// far is how many rows a page skips whose keys are found first.
const far = 100

// rows is the query of a page's rows, and what is still to be cut from it. Where
// many rows are skipped, it first finds the keys of those that are not: that takes
// an index alone, if one has all that is asked for, and none of the rows.
func (l *listing) rows(c *Call, asked *listed) (*bun.SelectQuery, window) {
	order, cut := l.resource.ordering, window{rows: asked.window.Limit, offset: asked.window.Offset, probe: true}
	q := order.apply(l.matching(c, asked), asked.order.terms)
	if cut.offset < far {
		return q, cut
	}
	key := order.key.Ident()
	q = c.DB.NewSelect().Model(nilModel(l.resource.model)).Where("?", sqldb.Among(key, cut.limit(q.ColumnExpr("?", key))))
	if l.resource.table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted() // those are left out among the keys, or meant
	}
	return order.apply(q, asked.order.terms), window{rows: cut.rows, probe: true, cutBefore: true}
}

func (l *listing) count(c *Call, asked *listed) (Total, error) {
	q := l.matching(c, asked)
	switch counting := asked.window.Counting; counting.kind {
	case countNone:
		return Total{}, nil
	case countCapped:
		within := sqldb.Window(q.ColumnExpr("1"), counting.cap+1, 0)
		n, err := number(c, c.DB.NewSelect().ColumnExpr("count(*)").TableExpr("(?) AS capped", within))
		return Total{Count: min(n, counting.cap), Known: true, AtLeast: n > counting.cap}, err
	case countEstimated:
		if l.resource.api.db.Kind() == sqldb.PostgreSQL {
			n, err := estimate(c, q.ColumnExpr("1"))
			return Total{Count: n, Known: true, Rough: true}, err
		}
	}
	n, err := c.Session().Count(c, q.ColumnExpr("count(*)"))
	return Total{Count: n, Known: true}, err
}

var plannedRows = regexp.MustCompile(`rows=(\d+)`)

// estimate asks PostgreSQL's planner how many rows it expects.
func estimate(c *Call, q schema.QueryAppender) (int64, error) {
	var top sql.Null[string]
	if err := first(c, bun.SafeQuery("EXPLAIN ?", q), &top); err != nil {
		return 0, err
	}
	found := plannedRows.FindStringSubmatch(top.V)
	if found == nil {
		return 0, naming.Sentence("the planner's answer %q has no number of rows", top.V)
	}
	return strconv.ParseInt(found[1], 10, 64)
}

// linker makes absolute links to this list with some parameters replaced.
func (l *listing) linker(c *Call, r *request) func(url.Values) string {
	base := c.URL(l.resource.listPath())
	return func(replace url.Values) string {
		query := url.Values{}
		maps.Copy(query, r.query)
		for name, values := range replace {
			query.Del(name)
			if len(values) > 0 && values[0] != "" {
				query[name] = values
			}
		}
		if len(query) == 0 {
			return base
		}
		return base + "?" + query.Encode()
	}
}
