package prove

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// sees reports whether a person may have a row in the list of a viewset by the declarations: its
// scope, and those of the viewsets above. Own and Via are compared with the stored row itself. Only
// a Where, whose condition is a function, is evaluated by the database.
func (p *Fixture) sees(who *person, r *table.Resource, one *row) bool {
	return p.seesBy(who, r, one, listing(r))
}

// has reports whether a person may have a row at an endpoint. The answer of a write shows the row, so
// it needs the right to list it too.
func (p *Fixture) has(who *person, e *endpoint, one *row) bool {
	return (e.ByReaders || p.seesBy(who, e.Resource, one, e.Route)) && (e.Route.Reads() || p.sees(who, e.Resource, one))
}

func (p *Fixture) seesBy(who *person, r *table.Resource, one *row, route call.Route) bool {
	return p.within(who, r, r.Scope, one, route) && (r.Above == nil || p.seesAt(who, r.Above.Parent, one.values[r.Above.Column.Name]))
}

// seesAt reports whether a person may have the row of a viewset with a primary key.
func (p *Fixture) seesAt(who *person, r *table.Resource, key string) bool {
	for _, one := range p.rowsOf(r) {
		if one.values[r.Pk.Name] == key {
			return p.sees(who, r, one)
		}
	}
	return false
}

// changes reports whether a person may change a row that they see, by the Writers of the viewset.
func (p *Fixture) changes(who *person, r *table.Resource, one *row, route call.Route) bool {
	if !r.HasWriters() {
		return true
	}
	if above := r.Writers.Above; above != nil {
		for _, parent := range p.rowsOf(above.Parent) {
			if parent.values[above.Parent.Pk.Name] == one.values[above.Column.Name] && !p.changes(who, above.Parent, parent, route) {
				return false
			}
		}
	}
	return p.within(who, r, r.Writers, one, route)
}

// within reports whether a scope leaves a person a row.
func (p *Fixture) within(who *person, r *table.Resource, scope table.BoundScope, one *row, route call.Route) bool {
	c := p.callOf(who, route)
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
	q.QueryBuilder().WhereGroup(" AND ", func(q bun.QueryBuilder) bun.QueryBuilder { return scope.Where(c, q) })
	found, err := q.Exists(p.ctx)
	if err != nil {
		p.stop(fmt.Errorf("the scope of %s: %w", r.Path, err))
	}
	return found
}

// callOf returns a call of a person, with a request that has their headers.
func (p *Fixture) callOf(who *person, route call.Route) *call.Call {
	r := &http.Request{Method: route.Method, URL: &url.URL{}, Host: host, Header: who.header}
	return p.registry.NewCall(p.ctx, table.CallOptions{Caller: who.caller, Route: route, Request: r})
}

// listing is the route of a list of a viewset.
func listing(r *table.Resource) call.Route {
	return call.Route{ViewSet: r.Path, Name: call.VerbList, Method: http.MethodGet}
}

// updating is the route of an update of a row of a viewset.
func updating(r *table.Resource) call.Route {
	return call.Route{ViewSet: r.Path, Name: call.VerbUpdate, Method: http.MethodPut}
}

// lifts reports whether a permission lifts the scope of an endpoint for a person.
func (p *Fixture) lifts(who *person, e *endpoint) bool {
	unless := e.Resource.Scope.Unless
	return unless != nil && unless.Permit(p.callOf(who, e.Route))
}

// owns is [Fixture.sees] without permissions that lift the scope: a Via leads to rows that are the
// caller's own.
func (p *Fixture) owns(who *person, r *table.Resource, one *row) bool {
	scope := r.Scope
	scope.Unless = nil
	return p.within(who, r, scope, one, call.Route{})
}

// hiddenFrom reports whether a row is of a viewset's table, and no viewset shows it to a person.
func (p *Fixture) hiddenFrom(who *person, one *row) (hidden bool) {
	for _, r := range p.registry.Resources {
		if r.Table.Name == one.table {
			if p.sees(who, r, one) {
				return false
			}
			hidden = true
		}
	}
	return hidden
}

// hides reports whether a viewset hides a row from a person. A row of another table is hidden if no
// viewset shows it.
func (p *Fixture) hides(who *person, r *table.Resource, one *row) bool {
	if r.Table != nil && r.Table.Name == one.table {
		return !p.sees(who, r, one)
	}
	return p.hiddenFrom(who, one)
}

// permits reports whether the declarations permit a person to send the request of an endpoint for a row.
func (p *Fixture) permits(e *endpoint, who *person, one *row) bool {
	return e.access(who) != spec.AccessRefused && p.has(who, e, one) && (!e.ByWriters || p.changes(who, e.Resource, one, e.Route))
}
