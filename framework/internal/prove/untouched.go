package prove

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// untouched checks that a request changed no row that its sender cannot reach. If the framework itself writes,
// it also checks that the request changed no row that the sender may not change, and no part of a row beside
// that of the request. foreseen are the hidden rows that a Where may hide because the request has changed the
// database.
func (p *prover) untouched(e *fixture.Endpoint, got *fixture.Answer, on *fixture.Row, before fixture.Contents, foreseen map[*fixture.Row]bool) {
	after := p.Contents()
	for _, name := range before.ChangedIn(after) {
		if slices.ContainsFunc(p.Made, func(one *fixture.Row) bool {
			return one != on && one.Table == name && before.Loses(one, after) &&
				(foreseen[one] || !p.byWhere(e, one) && (p.untouchable(e, got.Request, one, on) || p.beside(e, got.By, one, before, after)))
		}) {
			p.find(e, got.By, got.Curl(), "it changes a row of %s that is not theirs", name)
		}
	}
}

// untouchable reports whether a request for the row on must not change another row.
func (p *prover) untouchable(e *fixture.Endpoint, r fixture.Request, one, on *fixture.Row) bool {
	switch {
	case p.outOfReach(r.By, one), e.Fills() && p.keptFrom(r.By, one), (e.Fills() || e.Links()) && p.ofAnother(one, on):
		return true
	}
	return !e.Declared() && p.onlyReads(r.By, one) && !p.concerns(r, one)
}

// beside reports whether a delete changes a row of its table that its sender may not change, and that no other changed row refers to
// or is referred to by. A delete may take along rows that refer to its row, as the answers to a comment.
func (p *prover) beside(e *fixture.Endpoint, who *fixture.Person, one *fixture.Row, before, after fixture.Contents) bool {
	if e.Kind != declare.VerbDeletes || one.Table != e.Resource.Table.Name || !p.keptFrom(who, one) {
		return false
	}
	key := p.KeyOf(one)
	return !slices.ContainsFunc(p.Made, func(other *fixture.Row) bool {
		refers := func(from *fixture.Row, to string) bool { return to != "" && from.RefersTo(to) }
		return other != one && before.Loses(other, after) && (refers(other, key) || refers(one, p.KeyOf(other)))
	})
}

// onlyReads reports whether a row is one of another caller by the scope of a viewset, and no other viewset that shows it lets a
// person update or delete it, such as a public directory of rows that belong to users. An action changes the row that it names.
func (p *prover) onlyReads(who *fixture.Person, one *fixture.Row) (owned bool) {
	for _, r := range p.Registry.Resources {
		switch {
		case r.Table.Name != one.Table:
		case !p.Sees(who, r, one):
			owned = owned || isOwned(r)
		case slices.ContainsFunc(p.Endpoints, func(e *fixture.Endpoint) bool {
			return e.Resource == r && e.Declared() && e.Info.Method != http.MethodGet && e.Spec.Key != nil && p.Permits(e, who, one)
		}):
			return false
		}
	}
	return owned
}

// isOwned reports whether the rows of a viewset belong to callers, by its scope.
func isOwned(r *table.Resource) bool {
	return r.Scope.Kind == declare.ScopeOwn || r.Scope.Kind == declare.ScopeVia && isOwned(r.Scope.Via)
}

// concerns reports whether a request names a row, or a row that refers to it or to which it refers.
func (p *prover) concerns(r fixture.Request, one *fixture.Row) bool {
	own, sent := p.KeyOf(one), r.Sent()
	return slices.ContainsFunc(p.Made, func(named *fixture.Row) bool {
		key := p.KeyOf(named)
		return answers.HasWhole(sent, key) && (named == one || one.RefersTo(key) || own != "" && named.RefersTo(own))
	})
}

// foresee returns the newest rows of others that a person may not see, before a function runs, of each viewset
// whose scope leads to a Where.
func (p *prover) foresee(e *fixture.Endpoint, who *fixture.Person) map[*fixture.Row]bool {
	const most, tries = 3, 12 // rows of each viewset
	hidden := map[*fixture.Row]bool{}
	if e.Declared() {
		return hidden // the framework changes the row of the request alone
	}
	for _, r := range p.Registry.Resources {
		if !leadsToWhere(r) {
			continue
		}
		theirs := slices.DeleteFunc(p.RowsOf(r), func(one *fixture.Row) bool { return one.By == who })
		found := 0
		for _, one := range theirs[:min(len(theirs), tries)] {
			if hidden[one] = p.HiddenFrom(who, one); hidden[one] {
				found++
			}
			if found == most {
				break
			}
		}
	}
	return hidden
}

// byWhere reports whether a Where may hide a row because an endpoint has changed another row, as a membership of
// the sender. If the framework itself writes the row of a request, only the Where of the row's own viewset may.
func (p *prover) byWhere(e *fixture.Endpoint, one *fixture.Row) bool {
	return slices.ContainsFunc(p.Registry.Resources, func(r *table.Resource) bool {
		return r.Table.Name == one.Table && (r.Scope.Kind == declare.ScopeWhere || !e.Fills() && leadsToWhere(r))
	})
}

// leadsToWhere reports whether the scope of a viewset is a Where, or depends on one by a Via or a Parent.
func leadsToWhere(r *table.Resource) bool {
	return r != nil && (r.Scope.Kind == declare.ScopeWhere || leadsToWhere(r.Scope.Via) || r.Above != nil && leadsToWhere(r.Above.Parent))
}

// outOfReach reports whether a viewset hides a row from a person, and no viewset that the person may use
// shows it.
func (p *prover) outOfReach(who *fixture.Person, one *fixture.Row) (hidden bool) {
	for _, r := range p.Registry.Resources {
		switch {
		case r.Table.Name != one.Table:
		case !p.Sees(who, r, one):
			hidden = true
		case slices.ContainsFunc(p.Endpoints, func(e *fixture.Endpoint) bool { return e.Resource == r && e.Access(who) != spec.AccessRefused }):
			return false
		}
	}
	return hidden
}
