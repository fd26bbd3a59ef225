package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// Together keeps the rows that have one related row which meets all of the filters. relation is
// the path of the relation, and the fields of the filters are those of a related row:
//
//	filter.Together("comments", filter.Exact("by", "author.username"), filter.Min("score", "score"))
//
// keeps the articles with a comment that has this author and this score. Two filters that are
// not together may be met by two comments. Only the filters whose parameters are sent count. A caller who sends one of them
// needs to see the fields of all of them, if [framework.Sees] limits who sees one.
func Together(relation string, filters ...Backend) Backend {
	return Backend{name: relation, bind: func(facts *framework.Facts) (framework.BoundFilter, error) {
		below, related, err := facts.Relation(relation)
		if err != nil {
			return framework.BoundFilter{}, err
		}
		if len(filters) == 0 {
			return framework.BoundFilter{}, fmt.Errorf("filter.Together(%q) has no filters; give it at least one", relation)
		}
		t := together{related: related}
		var all framework.BoundFilter
		for _, f := range filters {
			bound, err := f.Bind(below)
			if err != nil {
				return framework.BoundFilter{}, err
			}
			t.filters, all.Params = append(t.filters, bound), append(all.Params, bound.Params...)
			all.Scans = all.Scans || bound.Scans
		}
		all.Read = t.read
		return all, nil
	}}
}

// A together is filters of one related row.
type together struct {
	related framework.RelatedRows
	filters []framework.BoundFilter
}

func (t together) read(c *framework.Call, v framework.Values) (framework.Narrow, error) {
	var conditions []framework.Narrow
	var faults error
	for _, f := range t.filters {
		if !slices.ContainsFunc(f.Params, func(p framework.Param) bool { return v[p.Name] != "" }) {
			continue
		}
		narrow, err := f.Read(c, v)
		faults = joinFaults(faults, err)
		if narrow != nil {
			conditions = append(conditions, narrow)
		}
	}
	if faults != nil || len(conditions) == 0 {
		return nil, faults
	}
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("?", t.related.Has(c, func(q *bun.SelectQuery) *bun.SelectQuery {
			for _, narrow := range conditions {
				q = q.WhereGroup(" AND ", narrow)
			}
			return q
		}))
	}, nil
}

// joinFaults joins the errors of two filters. Two errors of type [framework.Error] with the same
// status become one with the faults of both. Otherwise it returns only one of the two: an error
// that is no framework.Error, or else the second.
func joinFaults(first, second error) error {
	var a, b *framework.Error
	switch {
	case first == nil:
		return second
	case second == nil || !errors.As(first, &a):
		return first
	case !errors.As(second, &b) || a.Status != b.Status:
		return second
	}
	both := *a
	both.Faults = append(slices.Clip(a.Faults), b.Faults...)
	return &both
}

// Not keeps the rows that a filter leaves out. A row whose field is null, or that has no related
// row, does not match the filter, so Not keeps it:
//
//	filter.Not(filter.Exact("without_tag", "tags.name"))
//
// If the value of the parameter has no effect on the filter, as false for [Flag], it has none
// here. A filter of [Func] may add conditions, but no joins.
func Not(filter Backend) Backend {
	return Backend{name: "not " + filter.name, bind: func(facts *framework.Facts) (framework.BoundFilter, error) {
		bound, err := filter.Bind(facts)
		if err != nil {
			return bound, err
		}
		bound.Params = slices.Clone(bound.Params)
		for i := range bound.Params {
			bound.Params[i].Doc = describeExcept(bound.Params[i].Doc)
		}
		read := bound.Read
		bound.Read = func(c *framework.Call, v framework.Values) (framework.Narrow, error) {
			narrow, err := read(c, v)
			if narrow == nil || err != nil {
				return nil, err
			}
			return except(c, narrow), nil
		}
		return markScan(bound), nil
	}}
}

// except is the condition that narrow is not true: it is false or NULL.
func except(c *framework.Call, narrow framework.Narrow) framework.Narrow {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("NOT EXISTS (?)", narrow(c.DB.NewSelect().ColumnExpr("1")))
	}
}

// describeExcept is the description of a filter whose rows are left out.
func describeExcept(doc string) string {
	if rest, ok := strings.CutPrefix(doc, "Only rows"); ok {
		return "No rows" + rest
	}
	return "The opposite of: " + doc
}
