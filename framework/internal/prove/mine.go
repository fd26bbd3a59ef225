package prove

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// tryMine shows that functions of related rows with the option mine count the rows of the caller alone.
// The owner of rows uses each toggle. Then a visitor and a new user read, and have nothing to count.
func (p *prover) tryMine() {
	p.useToggles()
	newcomer := p.fresh(p.people[2])
	if newcomer == nil || p.hasRows(newcomer) {
		return
	}
	for _, e := range p.endpoints {
		for _, who := range []*person{p.people[0], newcomer} {
			if e.info.Method == http.MethodGet && (e.declared() || e.Pagination != nil) && e.access(who) != spec.AccessRefused {
				p.readMine(e, who)
			}
		}
	}
}

// useToggles sends a PUT to each toggle of a row, as the owner of rows.
func (p *prover) useToggles() {
	for _, e := range p.endpoints {
		if e.info.Method != http.MethodPut || !e.toggles() {
			continue
		}
		if one := p.rowFor(p.owner, e.Resource); one != nil && p.permits(e, p.owner, one) {
			_, _ = p.succeed(e, p.owner, one)
		}
	}
}

// hasRows reports whether a row that a viewset serves has the id of a person.
func (p *prover) hasRows(who *person) bool {
	all := p.contents()
	return slices.ContainsFunc(p.registry.Resources, func(r *table.Resource) bool {
		for _, one := range all[r.Table.Name] {
			if (&row{values: one}).refersTo(who.caller.IDText()) {
				return true
			}
		}
		return false
	})
}

// readMine reads an endpoint as a caller without a row that mine can count: no function with mine has a
// value, and no row matches a condition that needs one.
func (p *prover) readMine(e *endpoint, who *person) {
	names := mineOf(e.Resource)
	path, ok := p.pathOf(e, who, p.seenBy(who, e, &row{}))
	if !ok {
		return
	}
	read := func(query url.Values) (*answer, []map[string]any) {
		got := p.send(e, request{method: http.MethodGet, path: path, query: query.Encode(), by: who})
		return got, objectsIn(e, got.value())
	}
	got, objects := read(nil)
	for _, name := range names {
		if value := valueIn(objects, name); value != nil {
			p.find(e, who, got.curl(), "%s is %v, and the caller has no such row", name, value)
		}
	}
	if e.Pagination == nil {
		return
	}
	if len(objects) > 0 && wantsMine(e) {
		p.find(e, who, got.curl(), "it has rows, and each needs a row of the caller, which does not exist")
	}
	for _, param := range e.spec.Params {
		if !slices.Contains(names, param.Name) || param.Type == nil || param.Type.Kind() != reflect.Bool {
			continue
		}
		if got, objects := read(url.Values{param.Name: {"true"}}); len(objects) > 0 {
			p.find(e, who, got.curl(), "it has rows for which %s is true, and the caller has no such row", param.Name)
		}
	}
}

// valueIn returns the first value of a member of some objects that counts something; nil without one.
func valueIn(objects []map[string]any, name string) any {
	for _, object := range objects {
		if value := object[name]; !slices.Contains([]any{nil, false, "", json.Number("0")}, value) {
			return value
		}
	}
	return nil
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
func wantsMine(e *endpoint) bool {
	return slices.ContainsFunc(e.Resource.Declaration.Actions, func(a declare.Action) bool {
		return a.Name == e.Route.Name && slices.ContainsFunc(a.List.Where, func(text string) bool {
			return strings.HasPrefix(text, "exists(") && strings.HasSuffix(text, mine)
		})
	})
}

// objectsIn lists the rows of an answer: the objects of a list, or the object of one row.
func objectsIn(e *endpoint, value any) (all []map[string]any) {
	whole, isObject := value.(map[string]any)
	inner, isInner := whole[e.AnswerIn].(map[string]any)
	switch {
	case e.Pagination == nil && isInner:
		return []map[string]any{inner}
	case e.Pagination == nil:
		return []map[string]any{whole}
	case !isObject:
		whole = map[string]any{"": value}
	}
	for _, one := range whole {
		items, _ := one.([]any)
		for _, item := range items {
			if object, ok := item.(map[string]any); ok {
				all = append(all, object)
			}
		}
	}
	return all
}
