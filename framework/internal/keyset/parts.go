package keyset

import (
	"database/sql/driver"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/sqldb"
)

// Direction is the SQL that follows a field in the order of a page: that of the list, or for a page
// before a place the reverse.
func Direction(t ordering.Term, back bool) string {
	switch {
	case !back:
		return t.Direction()
	case t.Field.Nullable && t.Descending:
		return "ASC NULLS FIRST"
	case t.Field.Nullable:
		return "DESC NULLS FIRST"
	case t.Descending:
		return "ASC"
	}
	return "DESC"
}

// A Part is a condition on the rows of one part of a list.
type Part []schema.QueryAppender

// Narrow adds the condition to a query.
func (p Part) Narrow(q *bun.SelectQuery) *bun.SelectQuery {
	for _, condition := range p {
		q = q.Where("?", condition)
	}
	return q
}

// Parts are the parts of a list that follow a place, or are before it. Each can be read from an index
// with the order of the list, from one place on; an OR of their conditions could not. The rows of
// two parts are different.
func Parts(c *call.Call, terms []ordering.Term, p Place) (parts []Part) {
	order := placed{terms: terms, place: p}
	for _, t := range terms {
		order.fields = append(order.fields, t.Field.SQL(c))
	}
	if p.With {
		parts = append(parts, order.equal(len(terms)))
	}
	first := len(terms) - 1
	for first > 0 && order.together(first-1) {
		first--
	}
	// The rows that are equal in the terms before one, and after the place by it.
	for i := first; i >= 0; i-- {
		parts = append(parts, order.after(i, i == first)...)
	}
	return parts
}

// NullsApart reports whether [Parts] separates the rows with NULL in the first term from all others. The first part then has the
// other rows. The second part has the rows with NULL; it is missing if no such row can follow the place.
func NullsApart(terms []ordering.Term, p Place) bool {
	if p.With || p.Values[0] == nil {
		return false
	}
	order := placed{terms: terms, place: p}
	for i := range len(terms) - 1 {
		if !order.together(i) {
			return false
		}
	}
	return true
}

// A placed is the terms of an order with a place in it.
type placed struct {
	terms  []ordering.Term
	fields []schema.QueryAppender
	place  Place
}

// ascends reports whether the values of a term become greater in the direction of the page.
func (o placed) ascends(i int) bool { return o.terms[i].Descending == o.place.Back }

// together reports whether one comparison of rows can compare a term and those after it: they have one
// direction, no later one may be NULL, and its own value is not NULL.
func (o placed) together(i int) bool {
	return o.ascends(i) == o.ascends(i+1) && !o.terms[i+1].Field.Nullable && o.place.Values[i] != nil
}

// equal is the condition that the first terms have the values of the place.
func (o placed) equal(terms int) (p Part) {
	for i := range terms {
		p = append(p, o.is(i))
	}
	return p
}

func (o placed) is(i int) schema.QueryAppender {
	if o.place.Values[i] == nil {
		return bun.SafeQuery("? IS NULL", o.fields[i])
	}
	return bun.SafeQuery("? = ?", o.fields[i], param(o.place.Values[i]))
}

// after are the parts with the rows that are equal in the terms before one, and after the place by it
// or, with rest, by it and the terms after it. NULL comes last in the order of the list.
func (o placed) after(i int, rest bool) (parts []Part) {
	null := func(text string) {
		parts = append(parts, append(o.equal(i), bun.SafeQuery(text, o.fields[i])))
	}
	switch {
	case o.place.Values[i] != nil:
		last := i + 1
		if rest {
			last = len(o.terms)
		}
		parts = append(parts, append(o.equal(i), o.compare(i, last)))
		if o.terms[i].Field.Nullable && !o.place.Back {
			null("? IS NULL")
		}
	case o.place.Back:
		null("? IS NOT NULL")
	}
	return parts
}

// compare compares the terms from one to another, as a row, with the values of the place.
func (o placed) compare(from, to int) schema.QueryAppender {
	operator := "<"
	if o.ascends(from) {
		operator = ">"
	}
	var fields, values []any
	for i := from; i < to; i++ {
		fields, values = append(fields, o.fields[i]), append(values, param(o.place.Values[i]))
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", to-from), ", ")
	return bun.SafeQuery("("+marks+") "+operator+" ("+marks+")", append(fields, values...)...)
}

func param(v driver.Value) schema.QueryAppender { return sqldb.Param(v) }
