package framework

import (
	"reflect"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// boundScope is a Scope that knows its columns.
type boundScope struct {
	scope
	column *schema.Field // own: the owner; via: the reference
	via    *resource
}

func bindScope(r *resource, s scope, fault func(place string, err error)) boundScope {
	b := boundScope{scope: s}
	checkPermission(s.unless, func(err error) { fault("scope", err) })
	if s.kind == scopeOwn && s.owner == nil || s.kind == scopeWhere && s.where == nil {
		fault("scope", naming.Sentence("it was given no function"))
		return b
	}
	switch s.kind {
	case scopeMissing:
		fault("scope", naming.Sentence("no scope; say which rows a caller has: framework.Own, Via, Where or Public"))
	case scopeOwn:
		if s.model != r.model {
			fault("scope", naming.Sentence("Own takes a field of %s, this viewset's model is %s", s.model.Name(), r.model.Name()))
			break
		}
		b.column = ownerColumn(r, s)
		if b.column == nil {
			fault("scope", naming.Sentence("Own must return the address of a column of %s", r.model.Name()))
		}
	case scopeVia:
		f, err := r.Field(s.field)
		if err != nil {
			fault("scope", err)
			break
		}
		target, err := r.api.lookUp(s.target)
		if err != nil {
			fault("scope", err)
			break
		}
		if err := viaLeads(r, f, target); err != nil {
			fault("scope", err)
			break
		}
		b.column, b.via = f.Column, target
	}
	return b
}

// viaLeads checks that a way to the owner can be walked: the field holds keys
// of the target, and no viewset on the way is met twice.
func viaLeads(r *resource, f Field, target *resource) error {
	if f.Type != target.pk.IndirectType {
		return naming.Sentence("Via field %q is %s, but the key of %s is %s", f.Name, f.Type, target.path, target.pk.IndirectType)
	}
	if target.declaration.scope.kind == scopePublic {
		return naming.Sentence("Via %q leads to %s, which is Public: nobody owns its rows, so every caller would have every row; say Public, or lead to a viewset with Own", f.Name, target.path)
	}
	for at, steps := target, 0; steps <= len(r.api.resources); steps++ {
		if at == r {
			return naming.Sentence("Via %q leads back to %s; one of them must have an owner of its own", target.path, r.path)
		}
		next, ok := viaTarget(at)
		if !ok {
			break
		}
		at = next
	}
	return nil
}

// viaTarget is the viewset that a viewset's own Via names.
func viaTarget(r *resource) (*resource, bool) {
	target, err := r.api.lookUp(r.declaration.scope.target)
	return target, err == nil && r.declaration.scope.kind == scopeVia
}

// ownerColumn finds the column whose address the accessor returns.
func ownerColumn(r *resource, s scope) *schema.Field {
	model := reflect.New(r.model)
	address := s.owner(model.Interface())
	for _, f := range r.table.Fields {
		if f.StructField.Type == reflect.TypeFor[uuid.UUID]() && f.Value(model.Elem()).Addr().Interface() == any(address) {
			return f
		}
	}
	return nil
}

// narrow adds the caller's scope to a query on the resource's model.
func (b boundScope) narrow(c *Call, q bun.QueryBuilder) {
	if !b.lifted(c) {
		b.own(c, q)
	}
}

// lifted reports whether the caller has every row. A write on a row also needs what
// lifts the scope for reading: its answer shows the row, and so does whether it
// succeeds. A row that is created is the caller's own doing.
func (b boundScope) lifted(c *Call) bool {
	switch {
	case b.kind == scopePublic:
		return true
	case b.unless == nil || !b.unless.Permit(c):
		return false
	}
	return c.Route.Reads() || c.Route.Name == verbCreate || b.unless.Permit(looking(c, c.Route.ViewSet))
}

// own adds the scope without what lifts it.
func (b boundScope) own(c *Call, q bun.QueryBuilder) {
	b.ownedBy(c, q, sqldb.Param(c.Caller.ID))
}

// byOwner reports whether the caller's id alone decides which rows are theirs: no
// function of the program is on the way to the owner, whose answer is one
// request's.
func (b boundScope) byOwner() bool {
	return b.kind == scopeOwn || b.kind == scopeVia && b.via != nil && b.via.scope.byOwner()
}

// ownedBy is own for an owner who may stand for any known caller.
func (b boundScope) ownedBy(c *Call, q bun.QueryBuilder, owner schema.QueryAppender) {
	switch {
	case b.kind == scopePublic:
	case b.kind == scopeOwn && !c.Caller.Anonymous():
		q.Where("?TableAlias.? = ?", bun.Ident(b.column.Name), owner)
	case b.kind == scopeVia:
		keys := b.via.keys(c)
		b.via.scope.ownedBy(c, keys.QueryBuilder(), owner)
		q.Where("?TableAlias.? IN (?)", bun.Ident(b.column.Name), keys)
	case b.kind == scopeWhere:
		q.WhereGroup(" AND ", func(q bun.QueryBuilder) bun.QueryBuilder { return b.where(c, q) })
	default:
		q.Where("1 = 0")
	}
}
