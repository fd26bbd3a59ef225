package check

import (
	"net/http"
	"net/url"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/contents"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// Untouched checks that a request changed no row that its sender cannot reach. If the framework itself writes,
// it also checks that the request changed no row that the sender may not change, and no part of a row beside
// that of the request. foreseen are the hidden rows that a Where may hide because the request has changed the
// database.
func (c *Checker) Untouched(e *exchange.Endpoint, got *exchange.Answer, on *fixture.Row, before contents.Contents, foreseen map[*fixture.Row]bool) {
	after := c.Contents()
	changed := before.ChangedIn(after)
	if len(changed) == 0 {
		return
	}
	lost := slices.DeleteFunc(slices.Clone(c.Made), func(one *fixture.Row) bool { return !one.IsLost(before, after) })
	taken := c.takenAlong(e, got.Request, on, lost)
	for _, name := range changed {
		if slices.ContainsFunc(lost, func(one *fixture.Row) bool {
			beside := e.Kind == declare.VerbDeletes && !taken[one] && c.KeptFrom(got.By, one)
			return one != on && one.Table == name && (foreseen[one] || !c.byWhere(e, one) && (c.untouchable(e, got.Request, one, on) || beside))
		}) {
			c.Find(e, got.By, got.Curl(), "it changes a row of %s that is not theirs", name)
		}
	}
}

// untouchable reports whether a request for the row on must not change another row.
func (c *Checker) untouchable(e *exchange.Endpoint, r exchange.Request, one, on *fixture.Row) bool {
	switch {
	case c.outOfReach(r.By, one), (e.Fills() || e.Restores) && c.KeptFrom(r.By, one), (e.Fills() || e.Links()) && c.ofAnother(one, on):
		return true
	}
	return !e.Declared() && c.onlyReads(r.By, one) && !c.concerns(r, one)
}

// takenAlong has the rows that a delete may take along: those of its request, changed rows that refer to them, as the answers to a
// comment, and changed rows to which these refer, as the post that counts its comments. It is empty for other endpoints.
func (c *Checker) takenAlong(e *exchange.Endpoint, r exchange.Request, on *fixture.Row, lost []*fixture.Row) map[*fixture.Row]bool {
	taken := map[*fixture.Row]bool{}
	if e.Kind != declare.VerbDeletes {
		return taken
	}
	sent := r.Sent()
	for _, one := range lost {
		taken[one] = one == on || c.isNamed(e, sent, one)
	}
	grow := func(takes func(one, other *fixture.Row) bool) {
		for more := true; more; {
			more = false
			for _, one := range lost {
				if !taken[one] && slices.ContainsFunc(lost, func(other *fixture.Row) bool { return taken[other] && takes(one, other) }) {
					taken[one], more = true, true
				}
			}
		}
	}
	refers := func(from, to *fixture.Row) bool { return c.KeyOf(to) != "" && from.RefersTo(c.KeyOf(to)) }
	grow(refers)
	grow(func(one, other *fixture.Row) bool { return refers(other, one) })
	return taken
}

// isNamed reports whether what a request sends has the primary key of a row, or its key in the paths of the endpoint's viewset.
func (c *Checker) isNamed(e *exchange.Endpoint, sent string, one *fixture.Row) bool {
	return answers.HasWhole(sent, c.KeyOf(one)) ||
		one.Table == e.Resource.Table.Name && answers.HasWhole(sent, url.QueryEscape(one.Key(e.Resource)))
}

// onlyReads reports whether a row is one of another caller by the scope of a viewset, and no other viewset that shows it lets a
// person update or delete it, such as a public directory of rows that belong to users. An action changes the row that it names.
func (c *Checker) onlyReads(who *exchange.Person, one *fixture.Row) (owned bool) {
	for _, r := range c.Registry.Resources {
		switch {
		case r.Table.Name != one.Table:
		case !c.Sees(who, r, one):
			owned = owned || isOwned(r)
		case slices.ContainsFunc(c.Endpoints, func(e *exchange.Endpoint) bool {
			return e.Resource == r && e.Declared() && e.Info.Method != http.MethodGet && e.Spec.Key != nil && c.Permits(e, who, one)
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
func (c *Checker) concerns(r exchange.Request, one *fixture.Row) bool {
	own, sent := c.KeyOf(one), r.Sent()
	return slices.ContainsFunc(c.Made, func(named *fixture.Row) bool {
		key := c.KeyOf(named)
		return answers.HasWhole(sent, key) && (named == one || one.RefersTo(key) || own != "" && named.RefersTo(own))
	})
}

// Foresee returns the newest rows of others that a person may not see, before a function runs, of each viewset
// whose scope leads to a Where.
func (c *Checker) Foresee(e *exchange.Endpoint, who *exchange.Person) map[*fixture.Row]bool {
	const most, tries = 3, 12 // rows of each viewset
	hidden := map[*fixture.Row]bool{}
	if e.Declared() {
		return hidden // the framework changes the row of the request alone
	}
	for _, r := range c.Registry.Resources {
		if !LeadsToWhere(r) {
			continue
		}
		theirs := slices.DeleteFunc(c.RowsOf(r), func(one *fixture.Row) bool { return one.By == who })
		found := 0
		for _, one := range theirs[:min(len(theirs), tries)] {
			if hidden[one] = c.HiddenFrom(who, one); hidden[one] {
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
func (c *Checker) byWhere(e *exchange.Endpoint, one *fixture.Row) bool {
	return slices.ContainsFunc(c.Registry.Resources, func(r *table.Resource) bool {
		return r.Table.Name == one.Table && (r.Scope.Kind == declare.ScopeWhere || !e.Fills() && LeadsToWhere(r))
	})
}

// LeadsToWhere reports whether the scope of a viewset is a Where, or depends on one by a Via or a Parent.
func LeadsToWhere(r *table.Resource) bool {
	return r != nil && (r.Scope.Kind == declare.ScopeWhere || LeadsToWhere(r.Scope.Via) || r.Above != nil && LeadsToWhere(r.Above.Parent))
}

// outOfReach reports whether a viewset hides a row from a person, and no viewset that the person may use
// shows it.
func (c *Checker) outOfReach(who *exchange.Person, one *fixture.Row) (hidden bool) {
	for _, r := range c.Registry.Resources {
		switch {
		case r.Table.Name != one.Table:
		case !c.Sees(who, r, one):
			hidden = true
		case slices.ContainsFunc(c.Endpoints, func(e *exchange.Endpoint) bool { return e.Resource == r && e.Access(who) != spec.AccessRefused }):
			return false
		}
	}
	return hidden
}
