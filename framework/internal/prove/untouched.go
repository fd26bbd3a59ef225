package prove

import (
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// untouched checks that a request changed no row that its sender cannot reach. If the framework itself writes,
// it also checks that the request changed no row that the sender may not change, and no part of a row beside
// that of the request. foreseen are the hidden rows with a Where, which may hide a row because it has changed.
func (p *prover) untouched(e *endpoint, got *answer, on *row, before contents, foreseen map[*row]bool) {
	after := p.contents()
	for _, name := range before.changedIn(after) {
		if slices.ContainsFunc(p.made, func(one *row) bool {
			return one.table == name && before.loses(one, after) && (foreseen[one] || !p.byWhere(one) && p.untouchable(e, got.by, one, on))
		}) {
			p.find(e, got.by, got.curl(), "it changes a row of %s that is not theirs", name)
		}
	}
}

// untouchable reports whether the request of a person for the row on must not change another row.
func (p *prover) untouchable(e *endpoint, who *person, one, on *row) bool {
	return p.outOfReach(who, one) || e.fills() && p.keptFrom(who, one) || (e.fills() || e.links()) && p.ofAnother(one, on)
}

// foresee returns the newest rows with a Where that a person may not see, before a function runs.
func (p *prover) foresee(e *endpoint, who *person) map[*row]bool {
	const newest = 3 // rows of each viewset
	hidden := map[*row]bool{}
	if e.declared() {
		return hidden // the framework changes the row of the request alone
	}
	for _, r := range p.registry.Resources {
		if r.Scope.Kind != declare.ScopeWhere {
			continue
		}
		rows := p.rowsOf(r)
		for _, one := range rows[:min(len(rows), newest)] {
			hidden[one] = p.hiddenFrom(who, one)
		}
	}
	return hidden
}

// byWhere reports whether a viewset serves a row by a Where.
func (p *prover) byWhere(one *row) bool {
	return slices.ContainsFunc(p.registry.Resources, func(r *table.Resource) bool {
		return r.Table.Name == one.table && r.Scope.Kind == declare.ScopeWhere
	})
}

// outOfReach reports whether a viewset hides a row from a person, and no viewset that the person may use
// shows it.
func (p *prover) outOfReach(who *person, one *row) (hidden bool) {
	for _, r := range p.registry.Resources {
		switch {
		case r.Table.Name != one.table:
		case !p.sees(who, r, one):
			hidden = true
		case slices.ContainsFunc(p.endpoints, func(e *endpoint) bool { return e.Resource == r && e.access(who) != spec.AccessRefused }):
			return false
		}
	}
	return hidden
}
