package listing

import (
	"database/sql"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/counting"
	"trestle.example/framework/internal/export"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/ignored"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/view"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A List answers GET {path}/, or an action of Lists. It applies the scope, the filters, the search,
// the order and the page.
type List struct {
	Resource *table.Resource
	Endpoint verb.Handler
	Shown    scan.Representation // of a request that chooses no members
	// Selection is what clients may choose of the rows; nil for nothing.
	Selection *view.Selection
	Filters   []Filter
	Ranker    *query.BoundRanker
	Fixed     []func(c *call.Call) query.Narrow // the conditions of every request
	guards    map[string][]*fieldrule.Rule      // of the fields that a parameter uses, by its name, or by "ordering=field"
	named     map[string][]*fieldrule.Rule      // of the fields that an expression may use, by their names
}

// A Filter is a bound filter of a list. Related is true if its condition is about related rows.
type Filter struct {
	query.BoundFilter

	Related bool
}

// listed is the parsed query string of a list.
type listed struct {
	narrow  []query.Narrow
	related bool         // a condition in narrow is about related rows
	search  query.Narrow // the condition of the search; nil without one
	indexed bool         // the search index can find the rows
	ranking *query.Ranking
	order   ordering.Order
	parent  any   // the primary key of the row above, in a nested viewset
	above   []any // the keys of the rows above in the path
	values  query.Values
	window  query.Window
	shown   scan.Representation
	deleted bool           // the list has the deleted rows, and no others
	export  *export.Format // nil for a page of JSON

	searchInRow query.Narrow // the search as a condition that uses no index
}

// Serve answers one request.
func (l *List) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	parsed, err := l.understand(c, r)
	if err != nil {
		return nil, err
	}
	if err := nested.Enter(c, l.Resource, r); err != nil {
		return nil, err
	}
	parsed.parent, parsed.above = r.Parent, r.Above
	if parsed.export != nil {
		return l.export(c, parsed), nil
	}
	page := query.Page{Window: parsed.window, Link: l.linker(c, r)}
	read := l.page
	switch {
	case parsed.window.Keyset != nil:
		read = l.keyset
	case parsed.ranking != nil:
		read = l.ranked
	case l.gathers(parsed):
		read = l.gathered
	}
	shown, err := read(c, parsed, &page)
	if err != nil {
		return nil, err
	}
	envelope, err := l.Endpoint.Envelope(page)
	if err != nil {
		return nil, err
	}
	if page.Keyset != nil {
		announce(c, page)
	}
	return &table.Response{Status: l.Endpoint.Status, Value: view.ListAnswer{Envelope: envelope, Rows: shown.List()}}, nil
}

// understand parses every parameter. Its error lists all invalid parameters. If none is
// invalid, it is the first error of another kind.
func (l *List) understand(c *call.Call, r *table.Request) (*listed, error) {
	var faults fault.List
	parsed, err := l.conditions(c, r, &faults)
	if err != nil {
		return nil, err
	}
	if parsed.shown = l.Shown; l.Selection != nil {
		parsed.shown, err = l.Selection.Read(parsed.values)
		faults.Add(err)
	}
	parsed.order, err = l.order(c, parsed.values)
	faults.Add(err)
	parsed.export, err = l.Endpoint.Exports.Choose(parsed.values[export.Param], r.HTTP)
	faults.Add(err)
	if parsed.export != nil {
		faults.Add(l.exportable(c, parsed))
		return parsed, faults.Err()
	}
	parsed.window, err = l.Endpoint.Pagination.Window(parsed.values)
	faults.Add(err)
	return parsed, faults.Err()
}

// conditions parses the parameters that say which rows the list has, and adds the invalid ones to the faults. The error is that
// of parameters that use fields which the caller does not see.
func (l *List) conditions(c *call.Call, r *table.Request, faults *fault.List) (*listed, error) {
	var parsed listed
	values, err := l.Endpoint.ReadParams(c, r.Query)
	plan, wrong := l.expression(values)
	if refusal := l.refuses(c, values, plan.Uses); refusal != nil {
		return nil, refusal
	}
	faults.Add(err)
	faults.Add(wrong)
	parsed.deleted, err = l.Endpoint.ReadDeleted(c, values)
	faults.Add(err)
	parsed.values = values
	l.filter(c, &parsed, faults)
	parsed.add(plan.Narrow(c))
	parsed.related = parsed.related || plan.Related
	if s := l.Resource.Search; s != nil && values[s.Param] != "" {
		terms, err := s.Read(values[s.Param])
		parsed.search, parsed.searchInRow = s.Narrow(c, terms), s.NarrowInRow(c, terms)
		parsed.indexed = s.Indexed(terms)
		faults.Add(err)
	}
	if l.Ranker != nil && values[l.Ranker.Param.Name] != "" {
		parsed.ranking, err = l.Ranker.Read(c, values[l.Ranker.Param.Name])
		faults.Add(err)
	}
	return &parsed, nil
}

// filter parses the parameters of the filters.
func (l *List) filter(c *call.Call, parsed *listed, faults *fault.List) {
	for _, f := range l.Filters {
		if anyGiven(f.Params, parsed.values) {
			narrow, err := f.Read(c, parsed.values)
			parsed.add(narrow)
			parsed.related = parsed.related || f.Related && narrow != nil
			faults.Add(err)
		}
	}
}

func (a *listed) add(n query.Narrow) {
	if n != nil {
		a.narrow = append(a.narrow, n)
	}
}

func anyGiven(params []query.Param, values query.Values) bool {
	return slices.ContainsFunc(params, func(p query.Param) bool { return values[p.Name] != "" })
}

// order parses the ordering. A field that is not allowed is ignored, or rejected if the resource
// is strict. If clients order by names, an unknown name is always rejected.
func (l *List) order(c *call.Call, values query.Values) (ordering.Order, error) {
	o := l.Endpoint.Ordering
	parsed, unknown, err := o.Read(values[o.Param])
	if err != nil {
		return parsed, err
	}
	var faults []problem.Fault
	for _, term := range unknown {
		near := naming.Nearest(term, o.Terms())
		detail := "cannot be " + strconv.Quote(term) + naming.Suggestion(near)
		if near == term { // allowed, but the second function of related rows
			near, detail = "", "cannot have "+strconv.Quote(term)+" too: an order has at most one function of related rows"
		}
		if !l.Resource.Ignores(c, ignored.Name(o.Param+"="+term, near)) {
			faults = append(faults, problem.Fault{Parameter: o.Param, Code: problem.CodeInvalidParameter, Detail: detail})
		}
	}
	if len(faults) > 0 {
		return parsed, fault.InvalidParameters(faults)
	}
	return parsed, nil
}

// matching is the query of every row that the list has, on all its pages.
func (l *List) matching(c *call.Call, parsed *listed) *bun.SelectQuery {
	return l.where(c, parsed, append(slices.Clip(parsed.narrow), parsed.search))
}

// where is the query of the rows that satisfy every condition, and those of the list itself. It
// skips nil conditions.
func (l *List) where(c *call.Call, parsed *listed, conditions []query.Narrow) *bun.SelectQuery {
	q := l.Resource.Listed(c, parsed.parent)
	if parsed.deleted {
		q = q.WhereDeleted()
	}
	for _, fixed := range l.Fixed {
		q = q.WhereGroup(" AND ", fixed(c))
	}
	for _, n := range conditions {
		if n != nil {
			q = q.WhereGroup(" AND ", n)
		}
	}
	return q
}

// page reads one window of rows, and sets the rows and the total of the page. If the window
// includes the last row, or the list is empty, it computes the total from the window. Otherwise
// it counts with the counting of the list.
func (l *List) page(c *call.Call, parsed *listed, page *query.Page) (scan.SentRows, error) {
	w := parsed.window
	q, cut := l.rows(c, parsed)
	shown, err := parsed.shown.Write(c, q, cut)
	if err != nil {
		return scan.SentRows{}, err
	}
	page.Rows, page.More = shown.Rows, shown.More
	if !page.More && (page.Rows > 0 || w.Offset == 0) {
		page.Total = query.Total{Count: w.Offset + int64(page.Rows), Known: true}
		return shown, nil
	}
	page.Total, err = l.count(c, parsed)
	return shown, err
}

// far is the offset from which on rows finds the keys of a page first. An order by related rows
// always does: the rows that are sorted are then small, and the joins of the view have a page of
// rows.
const far = 100

// rows is the query of a page's rows, and the window that the caller must still apply. From the
// offset far on, a subquery finds the keys of the page: an index can skip rows without reading
// them.
func (l *List) rows(c *call.Call, parsed *listed) (*bun.SelectQuery, scan.Window) {
	order, cut := l.Endpoint.Ordering, scan.Window{Rows: parsed.window.Limit, Offset: parsed.window.Offset, Probe: true}
	q := order.Apply(c, l.matching(c, parsed), parsed.order.Terms)
	if cut.Offset < far && !ordering.Joins(parsed.order.Terms) {
		return q, cut
	}
	key := order.Key.Ident()
	q = c.DB.NewSelect().Model(bunmodel.NilModel(l.Resource.Model)).Where("?", sqldb.Among(key, cut.Limit(q.ColumnExpr("?", key))))
	if l.Resource.Table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted() // the subquery decides about deleted rows
	}
	return order.Apply(c, q, parsed.order.Terms), scan.Window{Rows: cut.Rows, Probe: true, CutBefore: true}
}

func (l *List) count(c *call.Call, parsed *listed) (query.Total, error) {
	q := l.matching(c, parsed)
	switch most := counting.LimitOf(parsed.window.Counting); counting.KindOf(parsed.window.Counting) {
	case counting.None:
		return query.Total{}, nil
	case counting.Capped:
		within := sqldb.Window(q.ColumnExpr("1"), most+1, 0)
		n, err := scan.Number(c, c.DB.NewSelect().ColumnExpr("count(*)").TableExpr("(?) AS capped", within))
		return query.Total{Count: min(n, most), Known: true, AtLeast: n > most}, err
	case counting.Estimated:
		if l.Resource.API.DB.Kind() == sqldb.PostgreSQL {
			n, err := estimate(c, q.ColumnExpr("1"))
			return query.Total{Count: n, Known: true, Rough: true}, err
		}
	}
	n, err := c.Session().Count(c, q.ColumnExpr("count(*)"))
	return query.Total{Count: n, Known: true}, err
}

var plannedRows = regexp.MustCompile(`rows=(\d+)`)

// estimate returns the number of rows that PostgreSQL's planner expects.
func estimate(c *call.Call, q schema.QueryAppender) (int64, error) {
	var top sql.Null[string]
	if err := scan.First(c, bun.SafeQuery("EXPLAIN ?", q), &top); err != nil {
		return 0, err
	}
	found := plannedRows.FindStringSubmatch(top.V)
	if found == nil {
		return 0, naming.Sentence("the planner's answer %q has no number of rows", top.V)
	}
	return strconv.ParseInt(found[1], 10, 64)
}

// linker returns [LinkTo] this list.
func (l *List) linker(c *call.Call, r *table.Request) func(url.Values) string {
	return LinkTo(c.URL(l.Resource.PathBelow(r.Above)+strings.TrimPrefix(l.Endpoint.Pattern, l.Resource.ListPath())), r.Query)
}

// LinkTo returns a function that makes absolute links to a list, which is at the URL base, with other values
// of some parameters of a request. An empty value removes its parameter.
func LinkTo(base string, sent url.Values) func(url.Values) string {
	return func(replace url.Values) string {
		query := url.Values{}
		maps.Copy(query, sent)
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
