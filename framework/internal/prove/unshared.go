package prove

import (
	"slices"

	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/table"
)

// unshared lists the viewsets whose scope leads to a Where and whose rows no second user saw, although a Where may show
// a row to several callers, such as the members of a team. What leaks between these was not tried.
func (p *prover) unshared() []string {
	paths := []string{}
	for _, r := range p.Registry.Resources {
		if r.Table == nil || !check.LeadsToWhere(r) {
			continue
		}
		if rows := p.RowsOf(r); len(rows) > 0 && !slices.ContainsFunc(rows, func(one *fixture.Row) bool { return p.isShared(r, one) }) {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// isShared reports whether a user sees a row that another user made.
func (p *prover) isShared(r *table.Resource, one *fixture.Row) bool {
	return slices.ContainsFunc([]*exchange.Person{p.Owner, p.People[2]}, func(who *exchange.Person) bool {
		return who != one.By && p.Sees(who, r, one)
	})
}
