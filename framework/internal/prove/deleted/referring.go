package deleted

import (
	"net/http"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// tryReferring deletes rows to which rows refer, one for each reference of an input. If the database permits that, no list may show the
// deleted row as a related one.
func (p prover) tryReferring(e, maker *exchange.Endpoint, who *exchange.Person) {
	for _, of := range p.Endpoints {
		if !of.Makes() || !of.Fills() || of.Input == nil || of.Bulk != nil || of.Access(who) == spec.AccessRefused {
			continue
		}
		for _, f := range of.Input.Fields {
			if target, err := p.Registry.LookUp(f.Ref); f.Ref != "" && err == nil && target == e.Resource {
				p.tryReference(e, maker, of, who, "/"+f.Name)
			}
		}
	}
}

// tryReference makes a row, and another one that refers to it at a pointer of a body, deletes the first one, and reads the lists of the other.
func (p prover) tryReference(e, maker, of *exchange.Endpoint, who *exchange.Person, pointer string) {
	one := p.another(maker, who)
	if one == nil {
		return
	}
	w := p.WriterLike(of, who, nil, pointer)
	w.Refs = map[string]string{pointer: one.Values[e.Resource.Pk.Name]}
	if got, _ := p.SucceedAs(of, w, nil); got == nil || !got.OK() {
		return
	}
	if got, _ := p.Succeed(e, who, one); got == nil || !got.OK() || !fixture.DeletedFor(e.Resource, one) {
		return
	}
	for _, list := range p.Endpoints {
		lists := list.Info.Method == http.MethodGet && list.Spec.Key == nil && list.HandsRows() && list.Resource.Table.Name == of.Resource.Table.Name
		if !lists || list.Access(who) == spec.AccessRefused {
			continue
		}
		if r, ok := p.RequestOf(list, p.WriterLike(list, who, nil, ""), nil); ok {
			p.CheckShown(list, p.Send(list, r), nil)
		}
	}
}
