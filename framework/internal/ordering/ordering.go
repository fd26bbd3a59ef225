// Package ordering binds the declared orders of a list to columns, reads the order that a client
// requests, and orders statements by it. The primary key comes last, so each order is unique.
package ordering

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// A Bound is a declared ordering with its columns. It does not change once it is bound.
type Bound struct {
	declare.Ordering
	AllowedFields map[string]query.Field
	Orders        map[string]Order
	Fallback      []Term
	Key           query.Field
}

// An Order is how rows are sorted before their primary key decides.
type Order struct {
	Relevance bool // first by the ranks of the search, in a searched list
	Terms     []Term
}

// A Term is a field that rows are ordered by.
type Term struct {
	Field      query.Field
	Descending bool
}

// Bind finds the columns of an ordering, and reports each mistake. ranked is whether the resource
// has a ranked search, without which no order is by relevance.
func Bind(r query.Source, o declare.Ordering, ranked bool, fault func(place string, err error)) *Bound {
	if o.Param == "" {
		o.Param = "ordering"
	}
	b := &Bound{Ordering: o, AllowedFields: map[string]query.Field{}, Orders: map[string]Order{}, Key: r.PrimaryKey()}
	if len(o.Allowed) > 0 && len(o.Named) > 0 {
		fault("ordering", naming.Sentence("Allowed and Named are both set; a client orders by fields or by names, not by either"))
	}
	for _, name := range o.Allowed {
		f, err := fieldAt(r, name)
		if err == nil && strings.Contains(name, ",") {
			err = naming.Sentence("%q has a comma, which separates the fields of the parameter; show the function in a view, and order by the name of its member", name)
		}
		if err != nil {
			fault("ordering", err)
			continue
		}
		b.AllowedFields[name] = f
	}
	for _, n := range o.Named {
		if err := b.checkNamed(n, ranked); err != nil {
			fault("ordering", err)
			continue
		}
		place := fmt.Sprintf("order %q", n.Name)
		b.Orders[n.Name] = Order{n.Relevance, bindTerms(r, n.By, func(_ string, err error) { fault(place, err) })}
	}
	b.bindDefault(r, fault)
	return b
}

func (b *Bound) checkNamed(n declare.NamedOrder, ranked bool) error {
	_, twice := b.Orders[n.Name]
	switch {
	case !orderName.MatchString(n.Name):
		return naming.Sentence("the name %q of an order must be made of letters, digits, - and _, such as \"price_asc\"", n.Name)
	case twice:
		return naming.Sentence("the order %q is named twice", n.Name)
	case n.Relevance && !ranked:
		return naming.Sentence("the order %q is by relevance, but nothing ranks the rows; set Ranked", n.Name)
	case n.Relevance && n.By != "":
		return naming.Sentence("the order %q is by relevance, so By must be empty; rows that match equally come in the default order", n.Name)
	case !n.Relevance && len(naming.SplitList(n.By)) == 0:
		return naming.Sentence("the order %q stands for nothing; set By, such as \"name\" or \"-created_at\"", n.Name)
	}
	return nil
}

var orderName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (b *Bound) bindDefault(r query.Source, fault func(place string, err error)) {
	const place = "ordering default"
	if named, ok := b.Orders[b.Default]; ok {
		if named.Relevance {
			fault(place, naming.Sentence("%q is by relevance, which a list has only while it is searched; name another order", b.Default))
		}
		b.Fallback = named.Terms
		return
	}
	b.Fallback = bindTerms(r, b.Default, func(name string, err error) {
		if near := naming.Nearest(name, b.names()); near != "" {
			err = naming.Sentence("no order %q; did you mean %q?", name, near)
		}
		fault(place, err)
	})
}

// bindTerms binds the terms of a declaration. It calls fault for each unknown field, and leaves
// that term out.
func bindTerms(r query.Source, text string, fault func(name string, err error)) []Term {
	var terms []Term
	for _, term := range splitTerms(text) {
		name, descending := strings.CutPrefix(term, "-")
		f, err := fieldAt(r, name)
		if err != nil {
			fault(name, err)
			continue
		}
		if f.Aggregate && aggregates(terms) {
			fault(name, naming.Sentence("%q is a second function of related rows; an order has at most one", name))
			continue
		}
		terms = append(terms, Term{f, descending})
	}
	return terms
}

// splitTerms splits the text of a declared order at its commas, except those in the parentheses of a
// function: "-exists(votes,mine), title".
func splitTerms(text string) (terms []string) {
	for _, part := range naming.SplitList(text) {
		if last := len(terms) - 1; last >= 0 && strings.Contains(terms[last], "(") && !strings.Contains(terms[last], ")") {
			terms[last] += "," + part
			continue
		}
		terms = append(terms, part)
	}
	return terms
}

// ByFields binds the terms that a function orders by. Its error is the first mistake.
func (b *Bound) ByFields(r query.Source, terms []string) (bound []Term, err error) {
	if len(terms) == 0 {
		return b.Fallback, nil
	}
	bound = Terms(r, strings.Join(terms, ","), func(mistake error) { err = cmp.Or(err, mistake) })
	return bound, err
}

// aggregates reports whether one of the terms is a function of related rows.
func aggregates(terms []Term) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Field.Aggregate })
}

// Terms binds the terms of an order, separated by commas. It calls fault for each mistake.
func Terms(r query.Source, text string, fault func(error)) []Term {
	return bindTerms(r, text, func(_ string, err error) { fault(err) })
}

// fieldAt finds a field to order by: a column, an expression, or a column of a to-one path. It has
// the alias under which [Bound.Join] joins its row.
func fieldAt(r query.Source, name string) (query.Field, error) {
	f, err := r.FieldAt(name)
	if path := relation.PathOf(f); path.ToMany() {
		return f, naming.Sentence("%q leads to several rows; order by a column of the row, or of a to-one relation", name)
	}
	if err == nil && datatype.IsJSON(f.Type) {
		err = naming.Sentence("field %q is %s; JSON has no order that both databases share", name, f.Type)
	}
	return relation.Joined(f), err
}

// Read parses the parameter of a request. If clients order by names, any text but a name and
// the empty text is an invalid parameter. If clients order by fields, the text is a list of
// fields, and ignored lists the terms that are not allowed. An empty text, a text without an
// allowed term, and a name with Relevance all mean: by relevance, then the default order.
func (b *Bound) Read(text string) (_ Order, ignored []string, err error) {
	usual := Order{Relevance: true, Terms: b.Fallback}
	if len(b.Named) > 0 && text != "" {
		o, ok := b.Orders[text]
		switch {
		case !ok:
			return o, nil, problem.InvalidParameter(b.Param, problem.OneOf(b.names(), text))
		case o.Relevance:
			return usual, nil, nil
		}
		return o, nil, nil
	}
	terms, ignored := b.readTerms(text)
	if len(terms) == 0 {
		return usual, ignored, nil
	}
	return Order{Terms: terms}, ignored, nil
}

func (b *Bound) readTerms(text string) (terms []Term, ignored []string) {
	for _, term := range naming.SplitList(text) {
		name, descending := strings.CutPrefix(term, "-")
		f, ok := b.AllowedFields[name]
		if !ok || f.Aggregate && aggregates(terms) {
			ignored = append(ignored, term)
			continue
		}
		terms = append(terms, Term{f, descending})
	}
	return terms, ignored
}

// Apply orders a query by the terms that [Bound.Settled] returns for the given ones, and joins the
// related rows that they need. The SQL contains no text of the client.
func (b *Bound) Apply(c *call.Call, q *bun.SelectQuery, terms []Term) *bun.SelectQuery {
	q = b.Join(c, q, terms)
	for _, t := range b.Settled(terms) {
		q = q.OrderExpr("? ?", t.Field.SQL(c), bun.Safe(t.Direction()))
	}
	return q
}

// By is the order of [Bound.Apply] as the text after ORDER BY. A statement that has it must join the
// related rows by [Bound.Join].
func (b *Bound) By(c *call.Call, terms []Term) schema.QueryAppender {
	var by []any
	settled := b.Settled(terms)
	for _, t := range settled {
		by = append(by, t.Field.SQL(c), bun.Safe(t.Direction()))
	}
	return bun.SafeQuery(strings.TrimSuffix(strings.Repeat("? ?, ", len(settled)), ", "), by...)
}

// Join joins the related rows that terms need to a query.
func (b *Bound) Join(c *call.Call, q *bun.SelectQuery, terms []Term) *bun.SelectQuery {
	if !Joins(terms) {
		return q
	}
	fields := make([]query.Field, len(terms))
	for i, t := range terms {
		fields[i] = t.Field
	}
	return relation.JoinRows(c, q, fields...)
}

// OfRow reports whether every term is a column of the row itself, so that an index can have the
// order.
func OfRow(terms []Term) bool {
	return !slices.ContainsFunc(terms, func(t Term) bool { return t.Field.Related != nil || t.Field.Expression != nil })
}

// Joins reports whether the terms need related rows.
func Joins(terms []Term) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Field.Related != nil })
}

// place identifies what a term orders by: the table and the column, or the expression.
func (t Term) place() [2]string {
	if t.Field.Expression != nil {
		return [2]string{t.Field.Alias, "=" + t.Field.GoName}
	}
	return [2]string{t.Field.Alias, t.Field.Column.Name}
}

// IsKey reports whether the term is the primary key of the row.
func (b *Bound) IsKey(t Term) bool { return t.place() == (Term{Field: b.Key}).place() }

// Settled returns the terms with each field once: the first of several terms counts. If the
// primary key is not one of the terms, it is added last, to make the order unique. It has the
// direction of the term before it, so that one index serves the order and its reverse.
func (b *Bound) Settled(terms []Term) (settled []Term) {
	seen := map[[2]string]bool{}
	add := func(t Term) {
		if !seen[t.place()] {
			seen[t.place()] = true
			settled = append(settled, t)
		}
	}
	for _, t := range terms {
		add(t)
	}
	add(Term{Field: b.Key, Descending: len(settled) > 0 && settled[len(settled)-1].Descending})
	return settled
}

// Direction is the SQL that follows the column: ASC or DESC, and NULLS LAST for a nullable
// field in both directions.
func (t Term) Direction() string {
	direction := "ASC"
	if t.Descending {
		direction = "DESC"
	}
	if t.Field.Nullable {
		direction += " NULLS LAST"
	}
	return direction
}

// Params describes the parameter. It returns nil if clients may not choose an order.
func (b *Bound) Params() []query.Param {
	switch {
	case len(b.Named) > 0:
		return []query.Param{{Name: b.Param, Doc: "The order of the list.", Enum: b.names()}}
	case len(b.Allowed) > 0:
		return []query.Param{{Name: b.Param, Doc: "Fields to order by, each with a leading - for descending.", Enum: b.Terms(), List: true}}
	}
	return nil
}

func (b *Bound) names() []string {
	names := make([]string, len(b.Named))
	for i, n := range b.Named {
		names[i] = n.Name
	}
	return names
}

// Terms lists each field that clients may order by, ascending and descending. It is empty for
// an ordering with named orders.
func (b *Bound) Terms() []string {
	var terms []string
	for _, name := range b.Allowed {
		terms = append(terms, name, "-"+name)
	}
	return terms
}
