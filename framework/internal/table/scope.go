package table

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// BoundScope is a Scope bound to its columns.
type BoundScope struct {
	declare.Scope
	Column *schema.Field // of Own, the owner; of Via, the reference
	Via    *Resource     // the viewset that a Via leads to
}

// BindScope finds the columns of a scope, and reports each mistake.
func BindScope(r *Resource, s declare.Scope, fault func(place string, err error)) BoundScope {
	b := BoundScope{Scope: s}
	access.CheckPermission(s.Unless, func(err error) { fault("scope", err) })
	if s.Kind == declare.ScopeOwn && s.Owner == nil || s.Kind == declare.ScopeWhere && s.Where == nil {
		fault("scope", naming.Sentence("it was given no function"))
		return b
	}
	switch s.Kind {
	case declare.ScopeMissing:
		fault("scope", naming.Sentence("no scope; say which rows a caller has: framework.Own, Via, Where or Public"))
	case declare.ScopeOwn:
		var err error
		if b.Column, err = ownerColumn(r, s); err != nil {
			fault("scope", err)
		}
	case declare.ScopeVia:
		f, err := r.Field(s.Field)
		if err != nil {
			fault("scope", err)
			break
		}
		target, err := r.API.LookUp(s.Target)
		if err != nil {
			fault("scope", err)
			break
		}
		if err := viaLeads(r, f, target); err != nil {
			fault("scope", err)
			break
		}
		b.Column, b.Via = f.Column, target
	}
	return b
}

// viaLeads checks that a Via leads to an owner: its field has the type of the target's key, the
// target is not Public, and the chain of targets does not lead back to r.
func viaLeads(r *Resource, f query.Field, target *Resource) error {
	if f.Type != target.Pk.IndirectType {
		return naming.Sentence("Via field %q is %s, but the key of %s is %s", f.Name, f.Type, target.Path, target.Pk.IndirectType)
	}
	if target.Declaration.Scope.Kind == declare.ScopePublic {
		return naming.Sentence("Via %q leads to %s, which is Public: its rows have no owner, so every caller would have every row; say Public, or lead to a viewset with Own", f.Name, target.Path)
	}
	for at, steps := target, 0; steps <= len(r.API.Resources); steps++ {
		if at == r {
			return naming.Sentence("Via %q leads back to %s; one of them must have an owner of its own", target.Path, r.Path)
		}
		next, ok := viaTarget(at)
		if !ok {
			break
		}
		at = next
	}
	return nil
}

// viaTarget is the viewset that a viewset's own Via names. It returns false if the scope is not
// a Via or names no viewset.
func viaTarget(r *Resource) (*Resource, bool) {
	target, err := r.API.LookUp(r.Declaration.Scope.Target)
	return target, err == nil && r.Declaration.Scope.Kind == declare.ScopeVia
}

// ownerColumn finds the column whose address the accessor returns. It returns an error without
// one, and for a column that cannot have the ids of the callers.
func ownerColumn(r *Resource, s declare.Scope) (*schema.Field, error) {
	if s.Model != r.Model {
		return nil, naming.Sentence("Own takes a field of %s, this viewset's model is %s", s.Model.Name(), r.Model.Name())
	}
	model := reflect.New(r.Model)
	address, ids := s.Owner(model.Interface()), r.API.CallerID
	for _, f := range r.Table.Fields {
		switch {
		case f.Value(model.Elem()).Addr().Interface() != address:
		case ids != nil && f.IndirectType != ids:
			return f, naming.Sentence("Own takes the column %s of type %s, but the ids of callers are %s; own by a column of that type, or give the authenticators the method CallerID", f.Name, f.IndirectType, ids)
		default:
			return f, nil
		}
	}
	return nil, naming.Sentence("Own must return the address of a column of %s", r.Model.Name())
}

// Narrow adds the caller's scope to a query on the resource's model, unless the scope is
// lifted.
func (b BoundScope) Narrow(c *call.Call, q bun.QueryBuilder) {
	if !b.Lifted(c) {
		b.own(c, q)
	}
}

// Lifted reports whether the scope leaves the caller every row: it is Public, or its Unless
// permits the call. Except for reading and a create, Unless must also permit the caller to list
// the viewset, because the answer of a write shows the row.
func (b BoundScope) Lifted(c *call.Call) bool {
	switch {
	case b.Kind == declare.ScopePublic:
		return true
	case b.Unless == nil || !b.Unless.Permit(c):
		return false
	}
	return c.Route.Reads() || c.Route.Name == call.VerbCreate || b.Unless.Permit(access.ForList(c, c.Route.ViewSet))
}

// own narrows a query by the scope, even if the scope is lifted.
func (b BoundScope) own(c *call.Call, q bun.QueryBuilder) {
	b.OwnedBy(c, q, sqldb.Param(c.Caller.ID))
}

// ByOwner reports whether the scope compares an owner with the caller's id and depends on
// nothing else: an Own, or a Via that leads to an Own. It is false for Public, and for a Where,
// whose function may give another result for each request.
func (b BoundScope) ByOwner() bool {
	return b.Kind == declare.ScopeOwn || b.Kind == declare.ScopeVia && b.Via != nil && b.Via.Scope.ByOwner()
}

// OwnedBy narrows a query by the scope, even if the scope is lifted. owner stands for the id of
// the caller. Public adds no condition. An Own leaves an anonymous caller no row. A Where
// ignores owner.
func (b BoundScope) OwnedBy(c *call.Call, q bun.QueryBuilder, owner schema.QueryAppender) {
	switch {
	case b.Kind == declare.ScopePublic:
	case b.Kind == declare.ScopeOwn && !c.Caller.Anonymous():
		q.Where("?TableAlias.? = ?", bun.Ident(b.Column.Name), owner)
	case b.Kind == declare.ScopeVia:
		keys := b.Via.Keys(c)
		b.Via.Scope.OwnedBy(c, keys.QueryBuilder(), owner)
		q.Where("?TableAlias.? IN (?)", bun.Ident(b.Column.Name), keys)
	case b.Kind == declare.ScopeWhere:
		q.WhereGroup(" AND ", func(q bun.QueryBuilder) bun.QueryBuilder { return b.Where(c, q) })
	default:
		q.Where("1 = 0")
	}
}
