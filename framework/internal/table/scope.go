package table

import (
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// BoundScope is a Scope bound to its columns.
type BoundScope struct {
	declare.Scope
	Column *schema.Field // of Own, the owner; of Via, the reference
	Via    *Resource     // the viewset that a Via leads to
	// Above: the rows are below rows of another viewset, which narrow them too. nil without.
	Above *Nesting

	writers bool // it is a Writers, and not a Scope
}

// AsWriters returns the bound scope as the Writers of a viewset. Without a declaration it is
// Public.
func (b BoundScope) AsWriters() BoundScope {
	if b.Kind == declare.ScopeMissing {
		b.Kind = declare.ScopePublic
	}
	b.writers = true
	return b
}

// HasWriters reports whether the viewset declares Writers, or is below one whose Writers apply.
func (r *Resource) HasWriters() bool {
	return r.Declaration.Writers.Kind != declare.ScopeMissing || r.Writers.Above != nil
}

// Owners lists the columns that have the id of the caller who created a row: those of an Own in
// the scope and in Writers.
func (r *Resource) Owners() (columns []*schema.Field) {
	for _, s := range []BoundScope{r.Scope, r.Writers} {
		if s.Kind == declare.ScopeOwn && s.Column != nil && !slices.Contains(columns, s.Column) {
			columns = append(columns, s.Column)
		}
	}
	return columns
}

// Narrow adds the caller's scope to a query on the resource's model, unless the scope is
// lifted. In a nested viewset, it adds the scopes of the viewsets above.
func (b BoundScope) Narrow(c *call.Call, q bun.QueryBuilder) {
	b.narrowAbove(c, q)
	b.narrowRows(c, q)
}

// narrowAbove narrows a query to the rows whose parent the caller may see or, for Writers, change.
func (b BoundScope) narrowAbove(c *call.Call, q bun.QueryBuilder) {
	if b.Above != nil && (b.writers || b.Above.hides(c)) {
		b.Above.narrow(c, nil, b.writers, q)
	}
}

// narrowRows is Narrow without the viewsets above.
func (b BoundScope) narrowRows(c *call.Call, q bun.QueryBuilder) {
	if !b.LiftedHere(c) {
		b.rowsOf(c, q, sqldb.Param(c.Caller.ID))
	}
}

// Lifted reports whether the scope leaves the caller every row, and so do the viewsets above.
func (b BoundScope) Lifted(c *call.Call) bool {
	return b.LiftedHere(c) && (b.Above == nil || !b.writers && !b.Above.hides(c))
}

// LiftedHere reports whether the scope, without the viewsets above, leaves the caller every row: it
// is Public, or its Unless permits the call. Except for reading and a create, the Unless of a Scope
// must also permit the caller to list the viewset, because the answer of a write shows the row.
func (b BoundScope) LiftedHere(c *call.Call) bool {
	switch {
	case b.Kind == declare.ScopePublic:
		return true
	case b.Unless == nil || !b.Unless.Permit(c):
		return false
	}
	return b.writers || c.Route.Reads() || c.Route.Name == call.VerbCreate || b.Unless.Permit(access.ForList(c, c.Route.ViewSet))
}

// IsEmpty reports whether the scope hides every row from an anonymous caller, by its declaration alone. It does so if it compares
// the owner of a row with the caller, or if the scope of a viewset above does so. c is a call of an anonymous caller.
func (b BoundScope) IsEmpty(c *call.Call) bool {
	switch {
	case b.Above != nil && b.Above.Parent.Scope.IsEmpty(c):
		return true
	case b.LiftedHere(c):
		return false
	}
	return b.Kind == declare.ScopeOwn || b.Kind == declare.ScopeVia && b.Via != nil && b.Via.Scope.IsEmpty(c)
}

// own narrows a query by the scope, even if the scope is lifted.
func (b BoundScope) own(c *call.Call, q bun.QueryBuilder) {
	b.OwnedBy(c, q, sqldb.Param(c.Caller.ID))
}

// ByOwner reports whether the scope compares an owner with the caller's id and depends on
// nothing else: an Own, or a Via that leads to an Own. It is false for Public, and for a Where,
// whose function may give another result for each request. It is false in a nested viewset too.
func (b BoundScope) ByOwner() bool {
	if b.Above != nil {
		return false
	}
	return b.Kind == declare.ScopeOwn || b.Kind == declare.ScopeVia && b.Via != nil && b.Via.Scope.ByOwner()
}

// OwnedBy narrows a query by the scope, even if the scope is lifted. owner stands for the id of
// the caller. Public adds no condition. An Own leaves an anonymous caller no row. A Where
// ignores owner. A Via of Writers also applies the Writers of its viewset. The parent of a row must
// be one that the caller may see or, for Writers, change.
func (b BoundScope) OwnedBy(c *call.Call, q bun.QueryBuilder, owner schema.QueryAppender) {
	b.narrowAbove(c, q)
	b.rowsOf(c, q, owner)
}

// rowsOf is OwnedBy without the viewsets above.
func (b BoundScope) rowsOf(c *call.Call, q bun.QueryBuilder, owner schema.QueryAppender) {
	switch {
	case b.Kind == declare.ScopePublic:
	case b.Kind == declare.ScopeOwn && !c.Caller.Anonymous():
		q.Where("?TableAlias.? = ?", bun.Ident(b.Column.Name), owner)
	case b.Kind == declare.ScopeVia:
		keys := b.Via.Keys(c)
		b.Via.Scope.OwnedBy(c, keys.QueryBuilder(), owner)
		if b.writers {
			b.Via.Writers.OwnedBy(c, keys.QueryBuilder(), owner)
		}
		q.Where("?TableAlias.? IN (?)", bun.Ident(b.Column.Name), keys)
	case b.Kind == declare.ScopeWhere:
		q.WhereGroup(" AND ", func(q bun.QueryBuilder) bun.QueryBuilder { return b.Where(c, q) })
	default:
		q.Where("1 = 0")
	}
}

// NeedsCaller reports whether a new row gets an owner from the caller, so that an anonymous one cannot create rows.
func (r *Resource) NeedsCaller() bool {
	return slices.ContainsFunc(r.Owners(), func(owner *schema.Field) bool { return !r.Generates(owner) })
}

// Generates reports whether an owner is the primary key, and a new row gets a key of its own: callers
// change the row with their id, and a new row is another caller's. With Own in the scope, the new row
// is the caller's.
func (r *Resource) Generates(owner *schema.Field) bool {
	return owner == r.Pk && owner != r.Scope.Column && (owner.AutoIncrement || owner.IndirectType == naming.UUIDType)
}
