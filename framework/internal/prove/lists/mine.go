package lists

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// tryMine shows that functions of related rows with the option mine count the rows of the caller alone.
// The owner of rows uses each toggle. Then a visitor and a new user read, and have nothing to count.
func (p prover) tryMine() {
	p.useToggles()
	newcomer := p.Fresh(p.People[2])
	if newcomer == nil || p.hasRows(newcomer) {
		return
	}
	for _, e := range p.Endpoints {
		for _, who := range []*exchange.Person{p.People[0], newcomer} {
			if e.Info.Method == http.MethodGet && (e.Declared() || e.Pagination != nil) && e.Access(who) != spec.AccessRefused {
				p.readMine(e, who)
			}
		}
	}
}

// useToggles sends a PUT to each toggle of a row, as the owner of rows.
func (p prover) useToggles() {
	for _, e := range p.Endpoints {
		if e.Info.Method != http.MethodPut || !e.Toggles() {
			continue
		}
		if one := p.RowFor(p.Owner, e.Resource); one != nil && p.Permits(e, p.Owner, one) {
			_, _ = p.Succeed(e, p.Owner, one)
		}
	}
}

// hasRows reports whether a row that a viewset serves has the id of a person.
func (p prover) hasRows(who *exchange.Person) bool {
	all := p.Contents()
	return slices.ContainsFunc(p.Registry.Resources, func(r *table.Resource) bool {
		for _, one := range all[r.Table.Name] {
			if (&fixture.Row{Values: one}).RefersTo(who.Caller.IDText()) {
				return true
			}
		}
		return false
	})
}

// readMine reads an endpoint as a caller without a row that mine can count: no function with mine has a
// value, and no row matches a condition that needs one.
func (p prover) readMine(e *exchange.Endpoint, who *exchange.Person) {
	names := mineOf(e.Resource)
	path, ok := p.PathOf(e, who, p.seenBy(who, e, &fixture.Row{}))
	if !ok {
		return
	}
	read := func(query url.Values) (*exchange.Answer, []map[string]any) {
		got := p.Send(e, exchange.Request{Method: http.MethodGet, Path: path, Query: query.Encode(), By: who})
		return got, answers.Objects(e, got.Value())
	}
	got, objects := read(nil)
	for _, name := range names {
		if value := answers.ValueIn(objects, name); value != nil {
			p.Find(e, who, got.Curl(), "%s is %v, and the caller has no such row", name, value)
		}
	}
	if e.Pagination == nil {
		return
	}
	if len(objects) > 0 && wantsMine(e) {
		p.Find(e, who, got.Curl(), "it has rows, and each needs a row of the caller, which does not exist")
	}
	for _, param := range e.Spec.Params {
		if !slices.Contains(names, param.Name) || param.Type == nil || param.Type.Kind() != reflect.Bool {
			continue
		}
		if got, objects := read(url.Values{param.Name: {"true"}}); len(objects) > 0 {
			p.Find(e, who, got.Curl(), "it has rows for which %s is true, and the caller has no such row", param.Name)
		}
	}
}

// mine ends the text of a function that counts the rows of the caller alone.
const mine = ",mine)"

// mineOf lists the names of the functions of a viewset with the option mine.
func mineOf(r *table.Resource) (names []string) {
	for name, f := range r.Relations.Expressions {
		if f.Aggregate && strings.HasSuffix(f.GoName, mine) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// wantsMine reports whether each row of a list needs a row of the caller.
func wantsMine(e *exchange.Endpoint) bool {
	return slices.ContainsFunc(e.Resource.Declaration.Actions, func(a declare.Action) bool {
		return a.Name == e.Route.Name && slices.ContainsFunc(a.List.Where, func(text string) bool {
			return strings.HasPrefix(text, "exists(") && strings.HasSuffix(text, mine)
		})
	})
}
