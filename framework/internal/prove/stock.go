package prove

import (
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// stock makes a row of each viewset that limits which rows a caller sees, for the service of a function that
// may change the database. Another person makes them, and the function must leave them as they are. Some of them refer
// to the row of the request, or to the rows to which it refers, if the person sees these.
func (p *prover) stock(e *exchange.Endpoint, on *fixture.Row) {
	if e.Declared() || e.OfAuth() || !e.MayChange(e.Info.Method) {
		return
	}
	who := p.Fresh(p.People[2])
	for _, r := range p.Registry.Resources {
		if who == nil || r.Path == "auth" || r.Declaration.Service != e.Resource.Declaration.Service || r.Scope.Kind != declare.ScopeOwn && r.Scope.Kind != declare.ScopeVia {
			continue
		}
		p.RowWhere(who, r, func(one *fixture.Row) bool { return one.By == who })
		if on != nil {
			p.sibling(who, r, on, false)
			p.sibling(who, r, on, true) // with other booleans
		}
	}
}

// sibling makes a row of a person that refers to another row, or to the same rows as it. With vary, its other values are new
// at once, so that no rejected body takes a turn of the booleans.
func (p *prover) sibling(who *exchange.Person, r *table.Resource, of *fixture.Row, vary bool) {
	for _, e := range p.MakersOf(r) {
		if e.Resource != r || e.Input == nil || e.Access(who) == spec.AccessRefused {
			continue
		}
		w := p.WriterLike(e, who, nil, "")
		if w.Refs = p.sharedRefs(e, who, of); len(w.Refs) == 0 {
			continue
		}
		if vary {
			w.Vary()
		}
		if got, _ := p.SucceedAs(e, w, nil); got != nil && got.OK() {
			return
		}
	}
}

// sharedRefs lists the references to a row, and those that the row has, if a person may use them, by the pointer of their member.
func (p *prover) sharedRefs(e *exchange.Endpoint, who *exchange.Person, of *fixture.Row) map[string]string {
	refs := map[string]string{}
	for _, f := range e.Input.Fields {
		target, err := p.Registry.LookUp(f.Ref)
		column := bunmodel.ColumnOf(e.Resource.Table, f.GoName)
		if f.Ref == "" || err != nil || column == nil {
			continue
		}
		has := of.RefersTo // the column that has the key has another name in another table
		if of.Table == e.Resource.Table.Name {
			has = func(key string) bool { return of.Values[column.Name] == key }
		}
		for _, one := range p.RowsOf(target) {
			if key := one.Values[target.Pk.Name]; (one == of || has(key)) && p.Sees(who, target, one) {
				refs["/"+f.Name] = key
				break
			}
		}
	}
	return refs
}
