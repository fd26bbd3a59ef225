package framework

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// boundOrdering is an Ordering that knows its columns.
type boundOrdering struct {
	ordering
	allowedFields map[string]Field
	orders        map[string]order
	fallback      []orderTerm
	key           Field
}

// An order is how rows are sorted before their primary key decides.
type order struct {
	relevance bool // first by the ranks of a search, if there is one
	terms     []orderTerm
}

type orderTerm struct {
	field      Field
	descending bool
}

func bindOrdering(r *resource, o ordering, fault func(place string, err error)) *boundOrdering {
	if o.Param == "" {
		o.Param = "ordering"
	}
	b := &boundOrdering{ordering: o, allowedFields: map[string]Field{}, orders: map[string]order{}, key: r.PrimaryKey()}
	if len(o.Allowed) > 0 && len(o.Named) > 0 {
		fault("ordering", naming.Sentence("Allowed and Named are both set; a client orders by fields or by names, not by either"))
	}
	for _, name := range o.Allowed {
		f, err := r.Field(name)
		if err != nil {
			fault("ordering", err)
			continue
		}
		b.allowedFields[name] = f
	}
	for _, n := range o.Named {
		if err := b.checkNamed(r, n); err != nil {
			fault("ordering", err)
			continue
		}
		place := fmt.Sprintf("order %q", n.Name)
		b.orders[n.Name] = order{n.Relevance, bindTerms(r, n.By, func(_ string, err error) { fault(place, err) })}
	}
	b.bindDefault(r, fault)
	return b
}

func (b *boundOrdering) checkNamed(r *resource, n namedOrder) error {
	_, twice := b.orders[n.Name]
	switch {
	case !orderName.MatchString(n.Name):
		return naming.Sentence("the name %q of an order must be made of letters, digits, - and _, such as \"price_asc\"", n.Name)
	case twice:
		return naming.Sentence("the order %q is named twice", n.Name)
	case n.Relevance && r.declaration.ranked == nil:
		return naming.Sentence("the order %q is by relevance, but nothing ranks the rows; set Ranked", n.Name)
	case n.Relevance && n.By != "":
		return naming.Sentence("the order %q is by relevance, so By must be empty; rows that match equally come in the default order", n.Name)
	case !n.Relevance && len(naming.SplitList(n.By)) == 0:
		return naming.Sentence("the order %q stands for nothing; set By, such as \"name\" or \"-created_at\"", n.Name)
	}
	return nil
}

var orderName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (b *boundOrdering) bindDefault(r *resource, fault func(place string, err error)) {
	const place = "ordering default"
	if named, ok := b.orders[b.Default]; ok {
		if named.relevance {
			fault(place, naming.Sentence("%q is by relevance, which a list has only while it is searched; name another order", b.Default))
		}
		b.fallback = named.terms
		return
	}
	b.fallback = bindTerms(r, b.Default, func(name string, err error) {
		if near := naming.Nearest(name, b.names()); near != "" {
			err = naming.Sentence("no order %q; did you mean %q?", name, near)
		}
		fault(place, err)
	})
}

// bindTerms reads terms of the program; fault is told of each unknown field.
func bindTerms(r *resource, text string, fault func(name string, err error)) []orderTerm {
	var terms []orderTerm
	for _, term := range naming.SplitList(text) {
		name, descending := strings.CutPrefix(term, "-")
		f, err := r.Field(name)
		if err != nil {
			fault(name, err)
			continue
		}
		terms = append(terms, orderTerm{f, descending})
	}
	return terms
}

// read turns the parameter into an order; ignored are terms not allowed.
func (b *boundOrdering) read(text string) (_ order, ignored []string, err error) {
	unasked := order{relevance: true, terms: b.fallback}
	if len(b.Named) > 0 && text != "" {
		o, ok := b.orders[text]
		switch {
		case !ok:
			return o, nil, problem.InvalidParameter(b.Param, problem.OneOf(b.names(), text))
		case o.relevance:
			return unasked, nil, nil
		}
		return o, nil, nil
	}
	terms, ignored := b.readTerms(text)
	if len(terms) == 0 {
		return unasked, ignored, nil
	}
	return order{terms: terms}, ignored, nil
}

func (b *boundOrdering) readTerms(text string) (terms []orderTerm, ignored []string) {
	for _, term := range naming.SplitList(text) {
		name, descending := strings.CutPrefix(term, "-")
		f, ok := b.allowedFields[name]
		if !ok {
			ignored = append(ignored, term)
			continue
		}
		terms = append(terms, orderTerm{f, descending})
	}
	return terms, ignored
}

// apply orders a query. Its text is made of columns alone.
func (b *boundOrdering) apply(q *bun.SelectQuery, terms []orderTerm) *bun.SelectQuery {
	for _, t := range b.settled(terms) {
		q = q.OrderExpr("? ?", t.field.Ident(), bun.Safe(t.direction()))
	}
	return q
}

// settled are the terms, each field once, with the primary key to decide.
func (b *boundOrdering) settled(terms []orderTerm) (settled []orderTerm) {
	seen := map[string]bool{}
	for _, t := range append(slices.Clip(terms), orderTerm{field: b.key}) {
		if !seen[t.field.Column.Name] {
			seen[t.field.Column.Name] = true
			settled = append(settled, t)
		}
	}
	return settled
}

func (t orderTerm) direction() string {
	direction := "ASC"
	if t.descending {
		direction = "DESC"
	}
	if t.field.Nullable {
		direction += " NULLS LAST"
	}
	return direction
}

// params is the parameter, if there is anything to ask for.
func (b *boundOrdering) params() []Param {
	switch {
	case len(b.Named) > 0:
		return []Param{{Name: b.Param, Doc: "The order of the list.", Enum: b.names()}}
	case len(b.Allowed) > 0:
		return []Param{{Name: b.Param, Doc: "Fields to order by, each with a leading - for descending.", Enum: b.terms(), List: true}}
	}
	return nil
}

func (b *boundOrdering) names() []string {
	names := make([]string, len(b.Named))
	for i, n := range b.Named {
		names[i] = n.Name
	}
	return names
}

// terms are the values that the parameter takes as a list.
func (b *boundOrdering) terms() []string {
	var terms []string
	for _, name := range b.Allowed {
		terms = append(terms, name, "-"+name)
	}
	return terms
}
