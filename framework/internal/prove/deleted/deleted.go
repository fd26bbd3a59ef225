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
// before, and each request for the row must be answered as for a row that does not exist.
func (p prover) tryDeleted() {
	for _, e := range p.Endpoints {
		r := e.Resource
		if e.Kind != declare.VerbDeletes || e.Bulk != nil || r.Table.SoftDeleteField == nil || r.Scope.Kind == declare.ScopeWhere || p.Broken != nil {
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
	readers := []*exchange.Person{who, p.People[2], p.People[len(p.People)-1]}
	for range 2 { // the first row may need new ones, which stay: the second one finds them there
		looks, known := lists.Before(p.Checker, readers, usual), slices.Clone(p.Made)
		fresh, _ := p.Create(maker, who)
		if fresh = p.served(fresh); len(fresh) != 1 || fresh[0].Table != e.Resource.Table.Name {
			return
		}
		if got, _ := p.Succeed(e, who, fresh[0]); got == nil || !got.OK() {
			return
		}
		if len(p.served(p.MadeSince(known))) == 1 {
			lists.CompareDeleted(p.Checker, e, looks, fresh[0])
			p.reachDeleted(fresh[0])
			p.tryErased(fresh[0])
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
