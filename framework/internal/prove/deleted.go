package prove

import (
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/spec"
)

// tryDeleted shows that a row that is deleted softly is as one that was never made: for each viewset that
// deletes softly and whose rows the framework itself makes and deletes. What callers read must be as
// before, and each request for the row must be answered as for a row that does not exist.
func (p *prover) tryDeleted() {
	for _, e := range p.endpoints {
		r := e.Resource
		if e.Kind != declare.VerbDeletes || r.Table.SoftDeleteField == nil || r.Scope.Kind == declare.ScopeWhere || p.broken != nil {
			continue
		}
		for _, maker := range p.makersOf(r) {
			if maker.Resource == r && maker.fills() {
				p.tryDelete(e, maker)
				break
			}
		}
	}
}

// tryDelete makes a row and deletes it, as the first person who may do both.
func (p *prover) tryDelete(e, maker *endpoint) {
	at := slices.IndexFunc(p.people, func(who *person) bool {
		return maker.access(who) != spec.AccessRefused && e.access(who) != spec.AccessRefused
	})
	if at < 0 {
		return
	}
	who := p.people[at]
	usual := p.makeRow(who, e.Resource) // with the rows that it needs
	if usual == nil {
		return
	}
	var looks []*look
	for _, reader := range []*person{who, p.people[2], p.people[len(p.people)-1]} {
		looks = append(looks, p.looks(reader, usual)...)
	}
	for _, l := range looks {
		l.was = p.send(l.e, l.r)
		l.varies = p.send(l.e, l.r).plain() != l.was.plain() || !l.e.declared()
	}
	fresh, _ := p.create(maker, who)
	if len(fresh) != 1 || fresh[0].table != e.Resource.Table.Name {
		return
	}
	if got, _ := p.succeed(e, who, fresh[0]); got == nil || !got.ok() {
		return
	}
	p.lookAgain(e, looks)
	p.reachDeleted(fresh[0])
}

// lookAgain reads again after a row was made and deleted at an endpoint.
func (p *prover) lookAgain(e *endpoint, looks []*look) {
	for _, l := range looks {
		now := p.send(l.e, l.r)
		if secret := p.secretIn(l.e, now); secret != "" {
			p.find(l.e, l.r.by, now.curl(), "the answer has %q, which is of a row that is deleted", secret)
		}
		if !l.varies && now.plain() != l.was.plain() && p.lasts(l, now) {
			p.find(l.e, l.r.by, now.curl(), "the answer changed after a row of %s was made and deleted:\n%s",
				e.Resource.Path, difference(now.plain(), "before", l.was.plain()))
		}
	}
}

// reachDeleted sends each request for a row that is deleted.
func (p *prover) reachDeleted(one *row) {
	for _, e := range p.endpoints {
		if e.spec.Key == nil || e.Resource.Table == nil || e.Resource.Table.Name != one.table || !deletedFor(e.Resource, one) {
			continue
		}
		for _, who := range []*person{one.by, p.people[len(p.people)-1]} {
			if r, ok := p.requestOf(e, p.writerLike(e, who, one, ""), one); ok {
				p.reachBy(e, r, e.Resource, one, e.access(who) == spec.AccessRefused, true)
			}
		}
	}
}
