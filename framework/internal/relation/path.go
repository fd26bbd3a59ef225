package relation

import (
	"fmt"
	"hash/fnv"
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
	alias := "by"
	for _, r := range p {
		alias = Alias(alias, r.Schema.Field.GoName)
	}
	return alias
}

// mostAlias is the length of an alias that both databases keep, in bytes. PostgreSQL cuts off what
// is longer than 63 bytes, and this package appends up to two.
const mostAlias = 60

// Alias is the alias of related rows in a statement in which base is the alias of the row. name is
// that of the Go field which shows or has the relation. A long alias ends with a hash.
func Alias(base, name string) string {
	alias := base + "__" + strings.ToLower(name)
	if len(alias) <= mostAlias {
		return alias
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(alias)) // it never fails
	return alias[:mostAlias-17] + "_" + fmt.Sprintf("%016x", hash.Sum64())
}

// Joined returns a field of a to-one path as the statement of [JoinRows] names it.
func Joined(f query.Field) query.Field {
	if p := PathOf(f); p != nil {
		f.Alias, f.Expression = p.joinAlias(), p.Computed(f.Expression)
	}
	return f
}

// Computed is an expression of the row at the end of a path of to-one relations, in a statement that
// joins the row: it is NULL if there is no row, as a column of it is. It is nil for no expression, and
// the expression itself without a path.
func (p Path) Computed(of func(*call.Call, string) schema.QueryAppender) func(*call.Call, string) schema.QueryAppender {
	if of == nil || len(p) == 0 {
		return of
	}
	key := bun.Ident(p[len(p)-1].Schema.JoinPKs[0].Name)
	return func(c *call.Call, alias string) schema.QueryAppender {
		return bun.SafeQuery("CASE WHEN ?.? IS NOT NULL THEN ? END", bun.Ident(alias), key, of(c, alias))
	}
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
