package reach

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// reachLikes sends the requests for other rows, to which rows of other tables refer: an action that reads as each person, and
// anything but a declared read as the first person who may not send it for the row.
func (p prover) reachLikes(e *exchange.Endpoint, one *fixture.Row, likes []*fixture.Row) {
	for _, like := range likes {
		switch {
		case like == one || e.Kind == declare.VerbShows:
		case e.Info.Method == http.MethodGet:
			p.reachAll(e, like)
		default:
			p.reachAsOne(e, e.Others(like.By), like)
		}
	}
}

// reachStaffs sends the requests for rows that the staff and superusers made, as the first of the other users: a check may
// leave out the rows of callers who may do everything. It makes such a row only if the framework itself does: a row of a function may
// be in a state in which other actions fail.
func (p prover) reachStaffs(e *exchange.Endpoint, one *fixture.Row) {
	for _, owner := range p.People {
		if !owner.Staff || owner == one.By {
			continue
		}
		is := func(own *fixture.Row) bool { return own.By == owner && own.Key(e.Resource) != "" }
		all := p.RowsOf(e.Resource)
		if at := slices.IndexFunc(all, is); at >= 0 {
			p.reachAsOne(e, p.People[2:], all[at])
		} else if !slices.ContainsFunc(p.MakersOf(e.Resource), func(maker *exchange.Endpoint) bool { return !maker.Declared() }) {
			if theirs := p.RowWhere(owner, e.Resource, is); theirs != nil {
				p.reachAsOne(e, p.People[2:], theirs)
			}
		}
	}
}

// reachAsOne sends the requests for a row as the first of some people who may send requests to the endpoint, and not for this row.
func (p prover) reachAsOne(e *exchange.Endpoint, people []*exchange.Person, one *fixture.Row) {
	for _, who := range people {
		if who != one.By && e.Access(who) != spec.AccessRefused && (!p.Has(who, e, one) || e.ByWriters && !p.Changes(who, e.Resource, one, e.Route)) {
			p.reach(e, who, one, nil)
			return
		}
	}
}
