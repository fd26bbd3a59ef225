package verb

import (
	"database/sql"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Listing answers GET {path}/: scope, filter, search, order, page.
type Listing struct {
	Resource   *table.Resource
	Endpoint   Handler
	Shown      table.Representation
	Filters    []query.BoundFilter
	Ranker     *query.BoundRanker
	Pagination query.Pagination
}

// A listed question is a request's query, understood.
type listed struct {
	narrow  []query.Narrow
	search  query.Narrow // what the search finds; nil without one
	indexed bool         // an index of what a search stores finds the rows
	ranking *query.Ranking
	order   table.Order
	window  query.Window

	searchInRow query.Narrow // search as a condition that no index finds rows by
}

// Serve answers one request.
func (l *Listing) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	asked, err := l.understand(c, r)
	if err != nil {
		return nil, err
	}
	page := query.Page{Window: asked.window, Link: l.linker(c, r)}
	read := l.page
	switch {
	case asked.ranking != nil:
		read = l.ranked
	case asked.indexed && asked.window.Counting.Kind == query.CountExact:
		read = l.searched
	}
	shown, err := read(c, asked, &page)
	if err != nil {
		return nil, err
	}
	envelope, err := l.Pagination.Envelope(page)
	if err != nil {
		return nil, err
	}
	return &table.Response{Status: l.Endpoint.Status, Value: view.ListAnswer{Envelope: envelope, Rows: shown.List()}}, nil
}

// understand reads every parameter and reports all that are wrong at once.
func (l *Listing) understand(c *call.Call, r *table.Request) (*listed, error) {
	var asked listed
	var faults fault.List
	values, err := l.Endpoint.ask(c, r.Query)
	faults.Add(err)
	for _, f := range l.Filters {
		if anyGiven(f.Params, values) {
			narrow, err := f.Read(c, values)
			asked.add(narrow)
			faults.Add(err)
		}
	}
	if s := l.Resource.Search; s != nil && values[s.Param] != "" {
		terms, err := s.Read(values[s.Param])
		asked.search, asked.searchInRow = s.Narrow(terms), s.NarrowInRow(terms)
		asked.indexed = s.Indexed(terms)
		faults.Add(err)
	}
	if l.Ranker != nil && values[l.Ranker.Param.Name] != "" {
		asked.ranking, err = l.Ranker.Read(c, values[l.Ranker.Param.Name])
		faults.Add(err)
	}
	asked.order, err = l.order(c, values)
	faults.Add(err)
	asked.window, err = l.Pagination.Window(values)
	faults.Add(err)
	return &asked, faults.Err()
}

func (a *listed) add(n query.Narrow) {
	if n != nil {
		a.narrow = append(a.narrow, n)
	}
}

func anyGiven(params []query.Param, values query.Values) bool {
	for _, p := range params {
		if values[p.Name] != "" {
			return true
		}
	}
	return false
}

// order reads the ordering. A term outside the whitelist has no effect.
func (l *Listing) order(c *call.Call, values query.Values) (table.Order, error) {
	o := l.Resource.Ordering
	asked, ignored, err := o.Read(values[o.Param])
	if err != nil {
		return asked, err
	}
	var faults []problem.Fault
	for _, term := range ignored {
		near := naming.Nearest(term, o.Terms())
		if !l.Resource.Ignores(c, table.IgnoredName(o.Param+"="+term, near)) {
			faults = append(faults, problem.Fault{
				Parameter: o.Param, Code: problem.CodeInvalidParameter, Detail: "cannot be " + strconv.Quote(term) + naming.Suggestion(near),
			})
		}
	}
	if len(faults) > 0 {
		return asked, fault.InvalidParameters(faults)
	}
	return asked, nil
}

// matching is the query of every row that the question asks for.
func (l *Listing) matching(c *call.Call, asked *listed) *bun.SelectQuery {
	return l.where(c, append(slices.Clip(asked.narrow), asked.search))
}

// where is the query of the rows that satisfy every condition; a nil one is left out.
func (l *Listing) where(c *call.Call, conditions []query.Narrow) *bun.SelectQuery {
	q := l.Resource.Rows(c)
	for _, n := range conditions {
		if n != nil {
			q = q.WhereGroup(" AND ", n)
		}
	}
	return q
}

// page reads one window of rows, one more to know whether others follow, and
// counts only where the rows do not already tell the total.
func (l *Listing) page(c *call.Call, asked *listed, page *query.Page) (table.SentRows, error) {
	w := asked.window
	q, cut := l.rows(c, asked)
	shown, err := l.Shown.Write(c, q, cut)
	if err != nil {
		return table.SentRows{}, err
	}
	page.Rows, page.More = shown.Rows, shown.More
	if !page.More && (page.Rows > 0 || w.Offset == 0) {
		page.Total = query.Total{Count: w.Offset + int64(page.Rows), Known: true}
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
func (l *Listing) rows(c *call.Call, asked *listed) (*bun.SelectQuery, table.Window) {
	order, cut := l.Resource.Ordering, table.Window{Rows: asked.window.Limit, Offset: asked.window.Offset, Probe: true}
	q := order.Apply(l.matching(c, asked), asked.order.Terms)
	if cut.Offset < far {
		return q, cut
	}
	key := order.Key.Ident()
	q = c.DB.NewSelect().Model(table.NilModel(l.Resource.Model)).Where("?", sqldb.Among(key, cut.Limit(q.ColumnExpr("?", key))))
	if l.Resource.Table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted() // those are left out among the keys, or meant
	}
	return order.Apply(q, asked.order.Terms), table.Window{Rows: cut.Rows, Probe: true, CutBefore: true}
}

func (l *Listing) count(c *call.Call, asked *listed) (query.Total, error) {
	q := l.matching(c, asked)
	switch counting := asked.window.Counting; counting.Kind {
	case query.CountNone:
		return query.Total{}, nil
	case query.CountCapped:
		within := sqldb.Window(q.ColumnExpr("1"), counting.Cap+1, 0)
		n, err := table.Number(c, c.DB.NewSelect().ColumnExpr("count(*)").TableExpr("(?) AS capped", within))
		return query.Total{Count: min(n, counting.Cap), Known: true, AtLeast: n > counting.Cap}, err
	case query.CountEstimated:
		if l.Resource.API.DB.Kind() == sqldb.PostgreSQL {
			n, err := estimate(c, q.ColumnExpr("1"))
			return query.Total{Count: n, Known: true, Rough: true}, err
		}
	}
	n, err := c.Session().Count(c, q.ColumnExpr("count(*)"))
	return query.Total{Count: n, Known: true}, err
}

var plannedRows = regexp.MustCompile(`rows=(\d+)`)

// estimate asks PostgreSQL's planner how many rows it expects.
func estimate(c *call.Call, q schema.QueryAppender) (int64, error) {
	var top sql.Null[string]
	if err := table.First(c, bun.SafeQuery("EXPLAIN ?", q), &top); err != nil {
		return 0, err
	}
	found := plannedRows.FindStringSubmatch(top.V)
	if found == nil {
		return 0, naming.Sentence("the planner's answer %q has no number of rows", top.V)
	}
	return strconv.ParseInt(found[1], 10, 64)
}

// linker makes absolute links to this list with some parameters replaced.
func (l *Listing) linker(c *call.Call, r *table.Request) func(url.Values) string {
	base := c.URL(l.Resource.ListPath())
	return func(replace url.Values) string {
		query := url.Values{}
		maps.Copy(query, r.Query)
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
