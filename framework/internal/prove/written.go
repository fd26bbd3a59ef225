package prove

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// checkAnswered checks that the framework answers a request with the row that the path names, or with the row
// that is new. A view without the primary key says nothing about that.
func (p *prover) checkAnswered(e *fixture.Endpoint, got *fixture.Answer, on *fixture.Row, fresh []*fixture.Row) {
	if !e.Declared() || !got.OK() || e.Pagination != nil || e.Resource.Table == nil {
		return
	}
	rows := slices.DeleteFunc(slices.Clone(fresh), func(one *fixture.Row) bool { return one.Table != e.Resource.Table.Name })
	if on != nil {
		rows = []*fixture.Row{on}
	}
	keys := p.KeysOf(e.Resource.Table.Name)
	if len(rows) == 0 || len(keys) != 1 {
		return
	}
	for _, object := range objectsIn(e, got.Value()) {
		for name, field := range e.Resource.Names {
			value, shown := object[name]
			is := func(one *fixture.Row) bool { return one.Values[keys[0]] == fmt.Sprint(value) }
			if shown && value != nil && field.Column != nil && field.Column.Name == keys[0] && !slices.ContainsFunc(rows, is) {
				p.find(e, got.By, got.Curl(), "the answer has the row %q, and the request is for another row", fmt.Sprint(value))
			}
		}
	}
}

// checkMoved checks that the framework has not written a row that the Where of its viewset hides from the sender.
func (p *prover) checkMoved(e *fixture.Endpoint, got *fixture.Answer, on *fixture.Row, fresh []*fixture.Row) {
	if !e.Fills() || !got.OK() || e.Resource.Scope.Kind != declare.ScopeWhere {
		return
	}
	for _, one := range append(slices.Clip(fresh), on) {
		if one != nil && one.Table == e.Resource.Table.Name && !p.InScope(got.By, e.Resource, one, e.Route) {
			p.find(e, got.By, got.Curl(), "it writes a row that the Where of the viewset hides from the sender")
			return
		}
	}
}

// tryMoves sends bodies that have a value of another's row, in each member in turn, to the writes of a viewset
// whose scope is a Where. No such write may put a row where its sender does not see it.
func (p *prover) tryMoves(e *fixture.Endpoint) {
	if !e.Fills() || e.Input == nil || e.Resource.Scope.Kind != declare.ScopeWhere || p.Broken != nil {
		return
	}
	for _, who := range append(slices.Clone(p.People[2:]), p.Owner) {
		on, usable := p.ownRow(e, who)
		theirs := p.hiddenRow(who, e.Resource)
		if !usable || theirs == nil || p.Lifts(who, e) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(e.Input.ByName)) {
			p.move(e, who, on, name, theirs)
		}
		return
	}
}

// ownRow returns the row for which a person can send the request of an endpoint: one that they made, nil if the
// endpoint names none. It is false if the person cannot send it.
func (p *prover) ownRow(e *fixture.Endpoint, who *fixture.Person) (*fixture.Row, bool) {
	if e.Access(who) == spec.AccessRefused || e.Spec.Key == nil {
		return nil, e.Access(who) != spec.AccessRefused
	}
	on := p.RowFor(who, e.Resource)
	return on, on != nil && on.By == who && p.Permits(e, who, on)
}

// move sends one body, whose member has the text of a row of another caller.
func (p *prover) move(e *fixture.Endpoint, who *fixture.Person, on *fixture.Row, name string, theirs *fixture.Row) {
	field := e.Resource.Names[name]
	r, ok := p.RequestOf(e, p.WriterLike(e, who, on, "/"+name), on)
	if !ok || field.Column == nil || theirs.Values[field.Column.Name] == "" {
		return
	}
	var body map[string]any
	if json.Unmarshal(r.Body, &body) != nil {
		return
	}
	object := body
	if e.BodyIn.Member != "" {
		object = fixture.Member(body, e.BodyIn.Member)
	}
	if _, isText := object[name].(string); !isText {
		return
	}
	object[name] = theirs.Values[field.Column.Name]
	text, err := json.Marshal(body)
	if err != nil {
		return
	}
	r.Body = text
	p.perform(e, r, on)
}

// tryChildren changes a row that the sender may change, with a list of all its children, which the sender may not
// change in their own viewset.
func (p *prover) tryChildren(e *fixture.Endpoint) {
	if !e.Fills() || e.Input == nil || e.Spec.Key == nil || e.Info.Method == http.MethodDelete || p.Broken != nil {
		return
	}
	for _, pointer := range p.referencesOf(e, nil) {
		for _, who := range p.People[2:] {
			if e.Access(who) != spec.AccessRefused && p.changeChild(e, who, pointer) {
				break
			}
		}
	}
}

// changeChild sends a body with the only child of a row, which others keep from the sender. It reports whether
// there is such a row.
func (p *prover) changeChild(e *fixture.Endpoint, who *fixture.Person, pointer string) bool {
	for _, on := range p.RowsOf(e.Resource) {
		if !p.Permits(e, who, on) {
			continue
		}
		w := p.WriterLike(e, who, on, pointer)
		w.Used = map[string]fixture.Reference{}
		w.Body(e)
		ref := w.Used[pointer]
		if ref.Foreign == nil {
			return false
		}
		children := slices.DeleteFunc(slices.Clone(p.Made), func(one *fixture.Row) bool {
			return one.Table != ref.Table || one.Values[ref.Foreign.Name] != on.Values[ref.Base.Name]
		})
		if len(children) != 1 || !p.keptFrom(who, children[0]) {
			continue
		}
		w.Refs = map[string]string{pointer: children[0].Values[ref.Column.Name]}
		r, ok := p.RequestOf(e, w, on)
		if ok {
			p.perform(e, r, on)
		}
		return ok
	}
	return false
}
