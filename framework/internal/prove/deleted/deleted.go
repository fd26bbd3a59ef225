package deleted

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/lists"
	"trestle.example/framework/internal/prove/reach"
	"trestle.example/framework/internal/prove/references"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// tryDeleted shows that a row that is deleted softly is as one that was never made: for each viewset that
// deletes softly and whose rows the framework itself makes and deletes. What callers read must be as
// before, and each request for the row must be answered as for a row that does not exist. A Where may depend on the deletion, so
// of its rows only those are tried that it hides, and what callers read who do not see these rows.
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
		looks, known := lists.Before(p.Checker, p.readersOf(e, who, usual), usual), slices.Clone(p.Made)
		fresh := p.another(maker, who)
		if fresh == nil {
			return
		}
		if got, _ := p.Succeed(e, who, fresh); got == nil || !got.OK() {
			return
		}
		if len(p.served(p.MadeSince(known))) == 1 {
			lists.CompareDeleted(p.Checker, e, looks, fresh)
			p.reachErased(e, maker, who, fresh)
			return
		}
	}
}

// readersOf lists the people who read before and after a row of a person is made and deleted at an endpoint: if a Where shows the rows, those
// who do not see a usual one.
func (p prover) readersOf(e *exchange.Endpoint, who *exchange.Person, usual *fixture.Row) []*exchange.Person {
	readers := []*exchange.Person{who, p.People[2], p.People[len(p.People)-1]}
	return slices.DeleteFunc(readers, func(reader *exchange.Person) bool {
		return e.Resource.Scope.Kind == declare.ScopeWhere && (reader == who || p.Sees(reader, e.Resource, usual))
	})
}

// reachErased sends the requests for a row that a person has deleted at an endpoint, and those for deleted rows.
func (p prover) reachErased(e, maker *exchange.Endpoint, who *exchange.Person, one *fixture.Row) {
	if p.showsErased(who, e.Resource, one) {
		return
	}
	p.reachDeleted(one)
	p.tryBelow(one)
	references.TryDeleted(p.Checker, one)
	p.tryErased(one)
	p.tryUpserts(e, maker, who)
	p.tryAgain(e, maker, who)
	p.tryKept(e, maker, who)
	p.tryReferring(e, maker, who)
	p.tryCursors(e, maker, who)
}

// tryCursors sends cursors of lists of deleted rows as other callers. The person deletes two rows, so that a list has two pages.
func (p prover) tryCursors(e, maker *exchange.Endpoint, by *exchange.Person) {
	for _, list := range p.Endpoints {
		if list.Resource.Table == nil || list.Resource.Table.Name != e.Resource.Table.Name || list.Deleted == nil || !list.HasCursors() {
			continue
		}
		for range 2 {
			if one := p.another(maker, by); one != nil {
				_, _ = p.Succeed(e, by, one)
			}
		}
		lists.TryDeletedCursors(p.Checker, list)
		return
	}
}

// another makes one more row at an endpoint, as a person; nil if that fails.
func (p prover) another(maker *exchange.Endpoint, who *exchange.Person) *fixture.Row {
	fresh, _ := p.Create(maker, who)
	if fresh = p.served(fresh); len(fresh) != 1 || fresh[0].Table != maker.Resource.Table.Name {
		return nil
	}
	return fresh[0]
}

// tryAgain makes a row and deletes it, and sends bodies for a new row with the values of the deleted one, one by one, as a person who does not see
// it: the deleted row must stay as it is.
func (p prover) tryAgain(e, maker *exchange.Endpoint, by *exchange.Person) {
	one := p.another(maker, by)
	if one == nil {
		return
	}
	_, _ = p.Succeed(e, by, one)
	for _, who := range p.People[2:] {
		if maker.Access(who) != spec.AccessRefused && who != by && p.HiddenFrom(who, one) && fixture.DeletedFor(e.Resource, one) {
			references.Move(p.Checker, maker, who, one)
			return
		}
	}
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
			if !p.showsErased(who, e.Resource, one) {
				p.reachDeletedAs(e, who, one, byBulk)
			}
		}
	}
}

// reachDeletedAs sends the request of an endpoint for a deleted row as one person.
func (p prover) reachDeletedAs(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row, byBulk bool) {
	refused := e.Access(who) == spec.AccessRefused
	switch r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one); {
	case !ok || byBulk && refused:
	case byBulk:
		reach.ByBulk(p.Checker, e, r, one, true)
	default:
		reach.By(p.Checker, e, r, e.Resource, one, refused, true)
	}
}

// showsErased reports whether the Where of a viewset shows a deleted row to a person.
func (p prover) showsErased(who *exchange.Person, r *table.Resource, one *fixture.Row) bool {
	return r.Scope.Kind == declare.ScopeWhere && p.Sees(who, r, one)
}

// tryUpserts deletes rows of a person, and sends requests for several rows with their natural keys as this person, and as another one if the
// keys are unique among the rows of all. They may make rows with these keys, and must not change the deleted ones.
func (p prover) tryUpserts(e, maker *exchange.Endpoint, by *exchange.Person) {
	for _, put := range p.Endpoints {
		if put.Bulk == nil || put.Info.Method != http.MethodPut || put.Resource != e.Resource {
			continue
		}
		for _, who := range []*exchange.Person{p.People[len(p.People)-1], by} {
			if put.Access(who) != spec.AccessRefused && (who == by || !put.Bulk.Owned) {
				p.tryUpsert(e, maker, put, by, who)
			}
		}
	}
}

// tryUpsert is tryUpserts for one row and one request.
func (p prover) tryUpsert(e, maker, put *exchange.Endpoint, by, who *exchange.Person) {
	one := p.another(maker, by)
	if one == nil {
		return
	}
	_, _ = p.Succeed(e, by, one)
	if r, ok := p.RequestOf(put, p.WriterLike(put, who, one, ""), one); ok && fixture.DeletedFor(e.Resource, one) {
		reach.ByBulk(p.Checker, put, r, one, true)
	}
}
