package references

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
)

// tryMoves sends bodies that have a value of another's row, in each member in turn, to the writes of a viewset. No such
// write may put a row where its sender does not see it, or answer with what the other row has.
func (p prover) tryMoves(e *exchange.Endpoint) {
	verb := slices.Contains([]declare.VerbKind{declare.VerbAccepts, declare.VerbDoes, declare.VerbChanges}, e.Kind)
	if !verb || e.Input == nil || e.Info.Method == http.MethodGet || e.OfAuth() || p.Broken != nil {
		return
	}
	for _, who := range append(slices.Clone(p.People[2:]), p.Owner) {
		on, usable := candidates.Own(p.Fixture, e, who)
		hidden := candidates.AllHidden(p.Fixture, who, e.Resource)
		if !usable || len(hidden) == 0 || p.Lifts(who, e) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(e.Input.ByName)) {
			p.move(e, who, on, name, p.secretRow(who, hidden))
		}
		return
	}
}

// secretRow returns the first row whose texts a person has not moved into an own row, or else the first of all.
func (p prover) secretRow(who *exchange.Person, rows []*fixture.Row) *fixture.Row {
	return rows[max(0, slices.IndexFunc(rows, func(one *fixture.Row) bool {
		return !slices.ContainsFunc(p.Telling(one), func(cell fixture.Cell) bool { return p.Moved(who, cell.Value) })
	}))]
}

// move sends one body, whose member has the text or the number of a row of another caller.
func (p prover) move(e *exchange.Endpoint, who *exchange.Person, on *fixture.Row, name string, theirs *fixture.Row) {
	field := e.Resource.Names[name]
	r, ok := p.RequestOf(e, p.WriterLike(e, who, on, "/"+name), on)
	if !ok || field.Column == nil || theirs.Values[field.Column.Name] == "" {
		return
	}
	switch value := theirs.Values[field.Column.Name]; places.Member(e, r, name).(type) {
	case string:
		r.Body = places.WithMember(e, r, name, value)
	case float64:
		r.Body = places.WithMember(e, r, name, json.Number(value))
	default:
		return
	}
	p.Move(who, theirs.Values[field.Column.Name]) // the row may keep a part of it, as a slug does
	p.Perform(e, r, on)
}
