package prove

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/table"
)

// use sends a person's request for a row of another person that the declarations let them send: a
// read must succeed, and a write by the framework itself must leave all rows that they may not change.
func (p *prover) use(e *endpoint, who *person, one *row) {
	r, ok := p.requestOf(e, p.writerLike(e, who, one, ""), one)
	switch {
	case !ok || e.Kind == declare.VerbDeletes || e.spec.Upload != nil: // a delete takes along what belongs to the row
		return
	case e.Route.Reads() && e.declared():
		if got := p.send(e, r); got.rejects() || got.status == http.StatusNotFound {
			p.find(e, who, got.curl(), "it is answered %d, and the declarations permit this caller", got.status)
		}
		return
	case e.Kind != declare.VerbAccepts && !e.links():
		return
	}
	kept := slices.DeleteFunc(slices.Clone(p.made), func(one *row) bool { return !p.keptFrom(who, one) })
	before := p.contents()
	got := p.send(e, r)
	after := p.contents()
	for _, theirs := range kept {
		text := fmt.Sprint(theirs.values)
		_, was := before[theirs.table][text]
		if _, is := after[theirs.table][text]; was && !is && theirs != one {
			p.find(e, who, got.curl(), "it changes a row of %s that they may not change", theirs.table)
			break
		}
	}
	p.settle(e, got, before, one)
}

// stock makes a row of each viewset that limits which rows a caller sees, for the service of a function that
// may change the database. Another person makes them, and the function must leave them as they are.
func (p *prover) stock(e *endpoint) {
	if e.declared() || e.Resource.Path == "auth" || !e.mayChange(e.info.Method) {
		return
	}
	who := p.fresh(p.people[2])
	for _, r := range p.registry.Resources {
		if who == nil || r.Declaration.Service != e.Resource.Declaration.Service || r.Scope.Kind != declare.ScopeOwn && r.Scope.Kind != declare.ScopeVia {
			continue
		}
		p.rowWhere(who, r, func(one *row) bool { return one.by == who })
	}
}

// keptFrom reports whether a person may not change a row by any viewset that writes its table or limits who
// does. A row that no viewset serves is a part of the rows to which it refers: the person may change one
// of them.
func (p *prover) keptFrom(who *person, one *row) bool {
	if p.limited(one) {
		return !p.mayChange(who, one)
	}
	kept := false
	for _, whole := range p.made {
		keys := p.keysOf(whole.table)
		if p.served(one) || len(keys) != 1 || !p.limited(whole) || !one.refersTo(whole.values[keys[0]]) {
			continue
		}
		if kept = !p.mayChange(who, whole); !kept {
			return false
		}
	}
	return kept
}

// ofAnother reports whether a row that no viewset serves refers to rows of the table of a row, and not to
// the row itself.
func (p *prover) ofAnother(one, of *row) bool {
	if of == nil || p.served(one) {
		return false
	}
	keys := p.keysOf(of.table)
	if len(keys) != 1 || one.refersTo(of.values[keys[0]]) {
		return false
	}
	return slices.ContainsFunc(p.made, func(whole *row) bool { return whole.table == of.table && one.refersTo(whole.values[keys[0]]) })
}

// limited reports whether a viewset writes rows of the table, or limits by Writers who does.
func (p *prover) limited(one *row) bool {
	return slices.ContainsFunc(p.registry.Resources, func(r *table.Resource) bool { return r.Table.Name == one.table && limits(r) })
}

// limits reports whether the declarations of a viewset say which rows a caller changes.
func limits(r *table.Resource) bool {
	return r.HasWriters() || slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.IsWrite() })
}

// mayChange reports whether a viewset lets a person change a row.
func (p *prover) mayChange(who *person, one *row) bool {
	return slices.ContainsFunc(p.registry.Resources, func(r *table.Resource) bool {
		return r.Table.Name == one.table && limits(r) && p.sees(who, r, one) && p.changes(who, r, one, updating(r))
	})
}

// checkLocks checks that a write which succeeded has not written a field that the person may not write.
func (p *prover) checkLocks(e *endpoint, got *answer, on *row) {
	if len(e.Locks) == 0 || !got.ok() {
		return
	}
	var body map[string]any
	if json.Unmarshal(got.body, &body) != nil {
		return
	}
	if e.BodyIn.Member != "" {
		body = member(body, e.BodyIn.Member)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Locks)) {
		value, sent := body[name]
		rule := p.lock(e, got.by, name)
		switch {
		case rule == nil:
		case sent && !p.isStored(e, on, name, value):
			p.find(e, got.by, got.curl(), "it writes %s, which needs %s", name, rule.Permission)
		case !sent && e.fills() && on != nil && p.changedAt(e.Resource, on, name):
			p.find(e, got.by, got.curl(), "it changes %s, which the body does not have and which needs %s", name, rule.Permission)
		}
	}
}

// lock returns a rule by which a person may not write a field of a body; nil if there is none.
func (p *prover) lock(e *endpoint, who *person, name string) *fieldrule.Rule {
	c := p.callOf(who, e.Route)
	for _, rule := range e.Locks[name] {
		if !rule.Permission.Permit(c) {
			return rule
		}
	}
	return nil
}

// changedAt reports whether the stored value of a field is no longer that of a row.
func (p *prover) changedAt(r *table.Resource, one *row, name string) bool {
	column, key := r.Names[name].Column, p.keysOf(one.table)
	if column == nil {
		return false
	}
	for _, now := range p.contents()[one.table] {
		if now.at(key) == one.values.at(key) {
			return now[column.Name] != one.values[column.Name]
		}
	}
	return false
}

// tryLocks sends a body without the fields that the person may not write, after a person who may has
// written them: they must stay as they are.
func (p *prover) tryLocks(e *endpoint, one *row) {
	if len(e.Locks) == 0 || !e.fills() || one == nil {
		return
	}
	writes := func(may bool) *person {
		for _, who := range append([]*person{one.by}, p.people...) {
			locked := slices.ContainsFunc(slices.Collect(maps.Keys(e.Locks)), func(name string) bool { return p.lock(e, who, name) != nil })
			if locked != may && p.permits(e, who, one) {
				return who
			}
		}
		return nil
	}
	holder, other := writes(true), writes(false)
	if holder == nil || other == nil {
		return
	}
	for range attempts { // until the values are not those of fields that are not set
		_, _ = p.succeed(e, holder, one)
		if p.allSet(e, one) {
			break
		}
	}
	w := p.writerLike(e, other, one, "")
	for name := range e.Locks {
		w.left["/"+name] = true
	}
	if r, ok := p.requestOf(e, w, one); ok {
		before, got := p.contents(), p.send(e, r)
		p.untouched(e, got, one, before, nil)
		p.settle(e, got, before, one)
	}
}

// allSet reports whether a row has a value in each field of an endpoint that has a rule about writing.
func (p *prover) allSet(e *endpoint, one *row) bool {
	for name := range e.Locks {
		column := e.Resource.Names[name].Column
		if column != nil && slices.Contains([]string{"", "0", "false"}, one.values[column.Name]) {
			return false
		}
	}
	return true
}

// isStored reports whether a row has a value already; without a row, whether a new row has it without
// the field.
func (p *prover) isStored(e *endpoint, on *row, name string, value any) bool {
	if on == nil {
		return isDefault(e.Input, name, value)
	}
	column := e.Resource.Names[name].Column
	if column == nil {
		return false
	}
	stored := on.values[column.Name]
	switch value {
	case nil:
		return stored == ""
	case true: // SQLite has integers
		return stored == "true" || stored == "1"
	case false:
		return stored == "false" || stored == "0"
	}
	return stored == fmt.Sprint(value)
}

// isDefault reports whether a new row has a value of a body if the body lacks it.
func isDefault(shape *input.Shape, name string, value any) bool {
	for _, f := range shape.Fields {
		if f.Name == name && f.HasDef {
			var usual any
			return json.Unmarshal(f.Sent, &usual) == nil && reflect.DeepEqual(value, usual)
		}
	}
	return value == nil || value == "" || value == false || value == float64(0)
}

// tryElsewhere sends the request for a row below a row to which it does not belong, as the person who
// made the row: the answer must be that for a row that does not exist.
func (p *prover) tryElsewhere(e *endpoint, one *row) {
	above := e.Resource.Above
	if above == nil || !p.permits(e, one.by, one) {
		return
	}
	other := p.otherAbove(one, above)
	r, ok := p.requestOf(e, p.writerLike(e, one.by, one, ""), one)
	was, found := p.keysAbove(e.Resource, one.by, one)
	if other == nil || !ok || !found {
		return
	}
	last := was[len(was)-1]
	r.path = strings.Replace(r.path, "/"+escape(last)+"/", "/"+escape(other.key(above.Parent))+"/", 1)
	before := p.contents()
	if got := p.send(e, r); got.status != http.StatusNotFound {
		p.find(e, one.by, got.curl(), "it is answered %d, and the row is not below the row that the path names", got.status)
	}
	if changed := before.changedIn(p.contents()); len(changed) > 0 {
		p.find(e, one.by, r.curl(), "it changes %s below another row", strings.Join(changed, ", "))
	}
}

// otherAbove returns a row above, other than that of a row, that the person who made the row may see and
// change; nil if none can be made.
func (p *prover) otherAbove(one *row, above *table.Nesting) *row {
	may := func(other *row) bool {
		return other.values[above.Parent.Pk.Name] != one.values[above.Column.Name] && p.sees(one.by, above.Parent, other) &&
			(!above.ByWriters || p.changes(one.by, above.Parent, other, updating(above.Parent)))
	}
	return p.rowWhere(one.by, above.Parent, may)
}
