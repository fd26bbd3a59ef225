package deleted

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/lists"
	"trestle.example/framework/internal/prove/reach"
	"trestle.example/framework/internal/spec"
)

// tryDeleted shows that a row that is deleted softly is as one that was never made: for each viewset that
// deletes softly and whose rows the framework itself makes and deletes. What callers read must be as
// before, and each request for the row must be answered as for a row that does not exist. A Where may depend on the deletion, so
// of its rows only those are tried that it hides, and only by requests for deleted rows.
func (p prover) tryDeleted() {
	for _, e := range p.Endpoints {
		r := e.Resource
		if e.Kind != declare.VerbDeletes || e.Bulk != nil || r.Table.SoftDeleteField == nil || p.Broken != nil {
			continue
		}
		for _, maker := range p.MakersOf(r) {
			if maker.Resource == r && maker.Fills() {
				p.tryDelete(e, maker)
				break
			}
		}
	}
}

// tryDelete makes a row and deletes it, as the first person who may do both.
func (p prover) tryDelete(e, maker *exchange.Endpoint) {
	at := slices.IndexFunc(p.People, func(who *exchange.Person) bool {
		return maker.Access(who) != spec.AccessRefused && e.Access(who) != spec.AccessRefused
	})
	if at < 0 {
		return
	}
	who := p.People[at]
	usual := p.MakeRow(who, e.Resource) // with the rows that it needs
	if usual == nil {
		return
	}
	for range 2 { // the first row may need new ones, which stay: the second one finds them there
		looks, known := lists.Before(p.Checker, p.readersOf(e, who), usual), slices.Clone(p.Made)
		fresh, _ := p.Create(maker, who)
		if fresh = p.served(fresh); len(fresh) != 1 || fresh[0].Table != e.Resource.Table.Name {
			return
		}
		if got, _ := p.Succeed(e, who, fresh[0]); got == nil || !got.OK() {
			return
		}
		if len(p.served(p.MadeSince(known))) == 1 {
			lists.CompareDeleted(p.Checker, e, looks, fresh[0])
			p.reachErased(e, who, fresh[0])
			return
		}
	}
}

// readersOf lists the people who read before and after a row of a person is made and deleted at an endpoint: none for rows of a Where.
func (p prover) readersOf(e *exchange.Endpoint, who *exchange.Person) []*exchange.Person {
	if e.Resource.Scope.Kind == declare.ScopeWhere {
		return nil
	}
	return []*exchange.Person{who, p.People[2], p.People[len(p.People)-1]}
}

// reachErased sends the requests for a row that a person has deleted at an endpoint, and those for deleted rows.
func (p prover) reachErased(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) {
	switch {
	case e.Resource.Scope.Kind != declare.ScopeWhere:
		p.reachDeleted(one)
	case p.Sees(who, e.Resource, one): // the Where shows deleted rows too
		return
	}
	p.tryErased(one)
	p.tryUpserts(e, one)
}

// served lists the rows that a viewset serves: the entries of a history, which stay, are no rows that another row needs.
func (p prover) served(rows []*fixture.Row) []*fixture.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(one *fixture.Row) bool { return !p.Served(one) })
}

// reachDeleted sends each request for a row that is deleted.
func (p prover) reachDeleted(one *fixture.Row) {
	for _, e := range p.Endpoints {
		byBulk := e.Bulk != nil && (e.Info.Method == http.MethodPatch || e.Info.Method == http.MethodDelete)
		if e.Spec.Key == nil && !byBulk || e.Restores || e.Resource.Table == nil || e.Resource.Table.Name != one.Table || !fixture.DeletedFor(e.Resource, one) {
			continue
		}
		for _, who := range []*exchange.Person{one.By, p.People[len(p.People)-1]} {
			refused := e.Access(who) == spec.AccessRefused
			switch r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one); {
			case !ok || byBulk && refused:
			case byBulk:
				reach.ByBulk(p.Checker, e, r, one, true)
			default:
				reach.By(p.Checker, e, r, e.Resource, one, refused, true)
			}
		}
	}
}

// tryUpserts deletes a row once more, and sends requests for several rows with its natural key as another person. They may make a row with this
// key, and must not change the deleted one.
func (p prover) tryUpserts(e *exchange.Endpoint, one *fixture.Row) {
	for _, put := range p.Endpoints {
		who := p.People[len(p.People)-1]
		upserts := put.Bulk != nil && put.Info.Method == http.MethodPut && !put.Bulk.Owned && put.Resource == e.Resource
		if !upserts || put.Access(who) == spec.AccessRefused || who == one.By {
			continue
		}
		if !fixture.DeletedFor(e.Resource, one) {
			_, _ = p.Succeed(e, one.By, one)
		}
		if r, ok := p.RequestOf(put, p.WriterLike(put, who, one, ""), one); ok && fixture.DeletedFor(e.Resource, one) {
			reach.ByBulk(p.Checker, put, r, one, true)
		}
	}
}
