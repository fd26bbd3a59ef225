package expression

import (
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Plan is an expression with its fields.
type Plan struct {
	// Uses lists the declared names of its fields. A name may be there twice.
	Uses []string
	// Related reports whether the condition is about related rows.
	Related bool
	// holds writes the condition; nil without an expression, and if it has faults.
	holds condition
}

// A condition writes the condition of a part of an expression. In the WHERE of a statement it may be NULL instead of
// false.
type condition func(c *call.Call) schema.QueryAppender

// Narrow returns the condition for a call; nil without one.
func (p *Plan) Narrow(c *call.Call) query.Narrow {
	if p.holds == nil {
		return nil
	}
	return p.holds.narrow(c)
}

func (of condition) narrow(c *call.Call) query.Narrow {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", of(c)) }
}

// Read parses an expression and finds its fields. Of mistakes in the grammar it returns the first one, and otherwise
// one for each unknown name and each wrong value.
func (b *Bound) Read(text string) (*Plan, []*Fault) {
	n, fault := Parse(text, b.Limits)
	if fault != nil {
		return &Plan{}, []*Fault{fault}
	}
	r := &reader{limits: b.Limits, root: b.root, plan: &Plan{}}
	holds := r.read(n, b.root, "")
	if r.faults == nil {
		r.plan.holds = holds
	}
	return r.plan, r.faults
}

// A reader makes the plan of an expression.
type reader struct {
	limits  Limits
	root    *level
	plan    *Plan
	faults  []*Fault
	related int
}

// read makes the condition of a node. prefix is the path from the row of the list to the rows of the level.
func (r *reader) read(n Node, at *level, prefix string) condition {
	switch n := n.(type) {
	case *Joined:
		terms := make([]condition, len(n.Terms))
		for i, term := range n.Terms {
			terms[i] = r.read(term, at, prefix)
		}
		return join(n.Word, terms)
	case *Not:
		return not(r.read(n.Of, at, prefix))
	case *Some:
		return r.some(n, at, prefix)
	case *Comparison:
		return r.compare(n, at, prefix)
	}
	return nil
}

// join writes AND or OR between conditions.
func join(word string, terms []condition) condition {
	text := "(?" + strings.Repeat(" "+word+" ?", len(terms)-1) + ")"
	return func(c *call.Call) schema.QueryAppender {
		parts := make([]any, len(terms))
		for i, term := range terms {
			parts[i] = term(c)
		}
		return bun.SafeQuery(text, parts...)
	}
}

// not writes the opposite of a condition: it is true if the condition is false or NULL.
func not(of condition) condition {
	return func(c *call.Call) schema.QueryAppender { return bun.SafeQuery("NOT coalesce(?, FALSE)", of(c)) }
}

func (r *reader) faultf(at int, format string, args ...any) {
	r.faults = append(r.faults, faultAt(at, format, args...))
}

// some makes the condition that one related row satisfies an expression.
func (r *reader) some(n *Some, at *level, prefix string) condition {
	below := at.below[n.Relation.Text]
	if below == nil {
		r.faultf(n.Relation.At, "no relation %q for parentheses, and there are no functions%s", clip(n.Relation.Text), naming.DidYouMean(n.Relation.Text, at.relations()))
		return nil
	}
	if below.related.ToMany() {
		r.count(n.Relation.At)
	}
	of := r.read(n.Of, below, prefix+n.Relation.Text+".")
	return func(c *call.Call) schema.QueryAppender { return below.related.Has(c, of.narrow(c)) }
}

// count counts a part of the expression that needs a subquery over several related rows.
func (r *reader) count(at int) {
	if r.related++; r.related == r.limits.Related+1 {
		r.faultf(at, "there can be at most %d parts about several related rows", r.limits.Related)
	}
}

// compare makes the condition of a comparison.
func (r *reader) compare(n *Comparison, at *level, prefix string) condition {
	f, known := at.fields[n.Field.Text]
	if !known {
		r.unknown(n.Field, at)
		return nil
	}
	name := prefix + n.Field.Text
	r.plan.Uses, r.plan.Related = append(r.plan.Uses, name), r.plan.Related || r.root.fields[name].OfOthers()
	many := f.Related != nil && f.Related.ToMany()
	if many || f.Aggregate {
		r.count(n.Field.At)
	}
	ordered, null := strings.ContainsAny(n.Operator, "<>"), n.Value.Kind == Null
	switch {
	case ordered && null:
		r.faultf(n.Value.At, "null has no order; use = or !=")
		return nil
	case ordered && !f.Ordered():
		r.faultf(n.Field.At, "%q has no order; use = or !=", n.Field.Text)
		return nil
	case many && (null || n.Operator == "!="):
		r.twoMeanings(n)
		return nil
	}
	value, err := valueOf(f, n.Value)
	if err != nil {
		r.faultf(n.Value.At, "%q %v", n.Field.Text, err)
		return nil
	}
	return holds(f, n.Operator, value)
}

// unknown reports a name that is not that of a field.
func (r *reader) unknown(n Name, at *level) {
	if below := at.below[n.Text]; below != nil {
		r.faultf(n.At, "%q is a relation; compare a field of it, such as %q", n.Text, n.Text+"."+below.names()[0])
		return
	}
	r.faultf(n.At, "no field %q for expressions%s", clip(n.Text), naming.DidYouMean(n.Text, at.names()))
}

// twoMeanings reports a comparison of several related rows that could be about one of them or about all of them.
func (r *reader) twoMeanings(n *Comparison) {
	dot := strings.LastIndexByte(n.Field.Text, '.')
	inner := *n
	inner.Field.Text = n.Field.Text[dot+1:]
	relation := n.Field.Text[:dot]
	some := Print(&Some{Name{Text: relation}, &inner})
	opposite := inner
	opposite.Operator = map[string]string{"=": "!=", "!=": "="}[n.Operator]
	none := Print(&Not{&Some{Name{Text: relation}, &opposite}})
	r.faultf(n.Field.At, "%q may have several values; write %s if one row is meant, or %s if all are", n.Field.Text, some, none)
}

// holds is the condition of a comparison of a field with a value; nil for null.
func holds(f query.Field, operator string, value any) condition {
	switch {
	case value == nil && operator == "!=":
		return ofRow(f, func(c *call.Call) schema.QueryAppender { return bun.SafeQuery("? IS NOT NULL", f.SQL(c)) })
	case value == nil && f.Related == nil:
		return func(c *call.Call) schema.QueryAppender { return bun.SafeQuery("? IS NULL", f.SQL(c)) }
	case value == nil: // a row is missing, or it has no value
		return not(holds(f, "!=", nil))
	case operator == "!=":
		return not(holds(f, "=", value))
	}
	text := "? " + operator + " ?"
	return ofRow(f, func(c *call.Call) schema.QueryAppender { return bun.SafeQuery(text, f.SQL(c), sqldb.Param(value)) })
}

// ofRow is a condition on the row that has a field, as one on the row that is related to it.
func ofRow(f query.Field, of condition) condition {
	if f.Related == nil {
		return of
	}
	return func(c *call.Call) schema.QueryAppender { return f.Related.Has(c, of.narrow(c)) }
}
