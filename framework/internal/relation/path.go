package relation

import (
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/query"
)

// A Path leads over one or more relations. It implements [query.RelatedRows].
type Path []*Relation

// ToMany reports whether one of the relations leads to several rows.
func (p Path) ToMany() bool { return slices.ContainsFunc(p, (*Relation).ToMany) }

// Has returns the condition that a row has a related row at the end of the path that satisfies
// narrow. The caller may see every row of the path.
func (p Path) Has(c *call.Call, narrow query.Narrow) schema.QueryAppender {
	for _, r := range slices.Backward(p[1:]) {
		narrow = r.narrow(c, narrow)
	}
	return p[0].Has(c, narrow)
}

// PathOf returns the path to the row of a field. It is nil for a field of the row itself.
func PathOf(f query.Field) Path {
	p, _ := f.Related.(Path)
	return p
}

// joinAlias is the alias under which [JoinRows] joins the last row of a path. No view has an
// alias of this form.
func (p Path) joinAlias() string {
	names := []string{"by"}
	for _, r := range p {
		names = append(names, strings.ToLower(r.Schema.Field.GoName))
	}
	return strings.Join(names, "__")
}

// Joined returns a field of a to-one path as the statement of [JoinRows] names it.
func Joined(f query.Field) query.Field {
	if p := PathOf(f); p != nil {
		f.Alias = p.joinAlias()
	}
	return f
}

// JoinRows joins the related rows of fields that [Joined] returned to a query on the model of the
// row. It joins each row once, and adds no rows to the result.
func JoinRows(c *call.Call, q *bun.SelectQuery, fields ...query.Field) *bun.SelectQuery {
	done := map[string]bool{}
	for _, f := range fields {
		path := PathOf(f)
		for i, r := range path {
			alias, base := path[:i+1].joinAlias(), r.base.Alias
			if i > 0 {
				base = path[:i].joinAlias()
			}
			if !done[alias] {
				done[alias] = true
				q = r.Join(c, q, base, alias)
			}
		}
	}
	return q
}
