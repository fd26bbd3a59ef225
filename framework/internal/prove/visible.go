package prove

import (
	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/table"
)

// sees reports whether a person may have a row of a viewset by the declarations: its scope, and
// those of the viewsets above. Own and Via are compared with the stored row itself. Only a Where,
// whose condition is a function, is evaluated by the database.
func (p *prover) sees(who *person, r *table.Resource, one *row) bool {
	return p.within(who, r, r.Scope, one) && (r.Above == nil || p.seesAt(who, r.Above.Parent, one.values[r.Above.Column.Name]))
}

// seesAt reports whether a person may have the row of a viewset with a primary key.
func (p *prover) seesAt(who *person, r *table.Resource, key string) bool {
	for _, one := range p.rowsOf(r) {
		if one.values[r.Pk.Name] == key {
			return p.sees(who, r, one)
		}
	}
	return false
}

// changes reports whether a person may change a row that they see, by the Writers of the viewset.
func (p *prover) changes(who *person, r *table.Resource, one *row) bool {
	if !r.HasWriters() {
		return true
	}
	if above := r.Writers.Above; above != nil {
		for _, parent := range p.rowsOf(above.Parent) {
			if parent.values[above.Parent.Pk.Name] == one.values[above.Column.Name] && !p.changes(who, above.Parent, parent) {
				return false
			}
		}
	}
	return p.within(who, r, r.Writers, one)
}

// within reports whether a scope leaves a person a row.
func (p *prover) within(who *person, r *table.Resource, scope table.BoundScope, one *row) bool {
	c := p.call(who, r)
	if scope.Kind == declare.ScopePublic || scope.Kind == declare.ScopeMissing || scope.Unless != nil && scope.Unless.Permit(c) {
		return true
	}
	switch scope.Kind {
	case declare.ScopeOwn:
		return who.caller != nil && one.values[scope.Column.Name] == who.caller.IDText()
	case declare.ScopeVia:
		key := one.values[scope.Column.Name]
		for _, target := range p.rowsOf(scope.Via) {
			if target.values[scope.Via.Pk.Name] == key {
				return p.owns(who, scope.Via, target)
			}
		}
		return false
	}
	q := c.DB.NewSelect().Model(table.NilModel(r.Model)).Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), one.values[r.Pk.Name])
	scope.Where(c, q.QueryBuilder())
	found, err := q.Exists(p.ctx)
	return err != nil || found // an error is no finding
}

// owns is [prover.sees] without permissions that lift the scope: a Via leads to rows that are the
// caller's own.
func (p *prover) owns(who *person, r *table.Resource, one *row) bool {
	scope := r.Scope
	scope.Unless = nil
	return p.within(who, r, scope, one)
}

// call is a call that lists a viewset.
func (p *prover) call(who *person, r *table.Resource) *call.Call {
	return p.registry.NewCall(p.ctx, table.CallOptions{Caller: who.caller, Route: call.Route{ViewSet: r.Path, Name: call.VerbList, Method: "GET"}})
}
