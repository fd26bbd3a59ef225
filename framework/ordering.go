package framework

import (
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// Ordering says what a list may be ordered by. Terms are fields, separated by
// commas, each with a leading - for descending; a term that is not allowed is
// ignored and told. The primary key always comes last, so pages are stable;
// rows without a value come last in either direction.
type Ordering struct {
	// Allowed are the fields that a client may order by. Defaults to none.
	Allowed []string
	// Default applies when the request asks for no order: terms as a client
	// would write them, "-starts_at,name". Defaults to the primary key.
	Default string
	// Param is the query parameter. Defaults to "ordering".
	Param string
}

// boundOrdering is an Ordering that knows its columns.
type boundOrdering struct {
	Ordering
	allowed  map[string]Field
	fallback []orderTerm
	key      Field
}

type orderTerm struct {
	field      Field
	descending bool
}

func bindOrdering(r *resource, o Ordering, fault func(place string, err error)) *boundOrdering {
	if o.Param == "" {
		o.Param = "ordering"
	}
	b := &boundOrdering{Ordering: o, allowed: map[string]Field{}, key: r.keyField()}
	for _, name := range o.Allowed {
		f, err := r.field(name)
		if err != nil {
			fault("ordering", err)
			continue
		}
		b.allowed[name] = f
	}
	for _, term := range splitList(o.Default) {
		name, descending := strings.CutPrefix(term, "-")
		f, err := r.field(name)
		if err != nil {
			fault("ordering default", err)
			continue
		}
		b.fallback = append(b.fallback, orderTerm{f, descending})
	}
	return b
}

// read turns the parameter into terms; ignored are those not allowed.
func (b *boundOrdering) read(text string) (terms []orderTerm, ignored []string) {
	for _, term := range splitList(text) {
		name, descending := strings.CutPrefix(term, "-")
		f, ok := b.allowed[name]
		if !ok {
			ignored = append(ignored, term)
			continue
		}
		terms = append(terms, orderTerm{f, descending})
	}
	if len(terms) == 0 {
		terms = b.fallback
	}
	return terms, ignored
}

// apply orders a query. Its text is made of columns alone.
func (b *boundOrdering) apply(q *bun.SelectQuery, terms []orderTerm) *bun.SelectQuery {
	seen := map[string]bool{}
	for _, t := range append(slices.Clip(terms), orderTerm{field: b.key}) {
		if seen[t.field.column.Name] {
			continue
		}
		seen[t.field.column.Name] = true
		direction := "ASC"
		if t.descending {
			direction = "DESC"
		}
		if t.field.Nullable {
			direction += " NULLS LAST"
		}
		q = q.OrderExpr("? ?", t.field.Ident(), bun.Safe(direction))
	}
	return q
}

// terms are the values that the parameter takes.
func (b *boundOrdering) terms() []string {
	var terms []string
	for _, name := range b.Allowed {
		terms = append(terms, name, "-"+name)
	}
	return terms
}

// splitList splits at commas and drops what is empty.
func splitList(text string) []string {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
