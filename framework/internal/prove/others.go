package prove

import (
	"maps"
	"net/http"
	"slices"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// use sends a person's request for a row of another person that the declarations let them send: a
// declared read must succeed, a function that reads must not show what is not theirs, and a write by the framework
// itself must leave all rows that they may not change.
func (p *prover) use(e *fixture.Endpoint, who *fixture.Person, one *fixture.Row) {
	r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
	switch {
	case !ok || e.Kind == declare.VerbDeletes || e.Spec.Upload != nil: // a delete takes along what belongs to the row
		return
	case e.Route.Reads() && e.Declared():
		if got := p.Send(e, r); got.Rejects() || got.Status == http.StatusNotFound {
			p.find(e, who, got.Curl(), "it is answered %d, and the declarations permit this caller", got.Status)
		}
		return
	case e.Kind != declare.VerbAccepts && !e.Links() && !e.Route.Reads():
		return
	}
	kept := slices.DeleteFunc(slices.Clone(p.Made), func(one *fixture.Row) bool { return !p.keptFrom(who, one) })
	before := p.Contents()
	got := p.Send(e, r)
	after := p.Contents()
	for _, theirs := range kept {
		if theirs != one && before.Loses(theirs, after) {
			p.find(e, who, got.Curl(), "it changes a row of %s that they may not change", theirs.Table)
			break
		}
	}
	p.settle(e, got, before, one, nil)
}

// stock makes a row of each viewset that limits which rows a caller sees, for the service of a function that
// may change the database. Another person makes them, and the function must leave them as they are. Some of them refer
// to the row of the request, or to the rows to which it refers, if the person sees these.
func (p *prover) stock(e *fixture.Endpoint, on *fixture.Row) {
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
func (p *prover) sibling(who *fixture.Person, r *table.Resource, of *fixture.Row, vary bool) {
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
func (p *prover) sharedRefs(e *fixture.Endpoint, who *fixture.Person, of *fixture.Row) map[string]string {
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

// keptFrom reports whether a person may not change a row by any viewset that writes its table or limits who
// does. A row that no viewset serves is a part of the rows to which it refers: the person may change one
// of them.
func (p *prover) keptFrom(who *fixture.Person, one *fixture.Row) bool {
	if p.limited(one) {
		return !p.mayChange(who, one)
	}
	if p.Served(one) {
		return false
	}
	kept := false
	for _, whole := range p.ReferredBy(one) {
		if !p.limited(whole) {
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
func (p *prover) ofAnother(one, of *fixture.Row) bool {
	if of == nil || p.Served(one) {
		return false
	}
	key := p.KeyOf(of)
	if key == "" || one.RefersTo(key) {
		return false
	}
	return slices.ContainsFunc(p.ReferredBy(one), func(whole *fixture.Row) bool { return whole.Table == of.Table })
}

// limited reports whether a viewset writes rows of the table, or limits by Writers who does.
func (p *prover) limited(one *fixture.Row) bool {
	return slices.ContainsFunc(p.Registry.Resources, func(r *table.Resource) bool { return r.Table.Name == one.Table && limits(r) })
}

// limits reports whether the declarations of a viewset say which rows a caller changes.
func limits(r *table.Resource) bool {
	return r.HasWriters() || slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.IsWrite() })
}

// mayChange reports whether a viewset lets a person change a row.
func (p *prover) mayChange(who *fixture.Person, one *fixture.Row) bool {
	return slices.ContainsFunc(p.Registry.Resources, func(r *table.Resource) bool {
		return r.Table.Name == one.Table && limits(r) && p.Sees(who, r, one) && p.Changes(who, r, one, fixture.Updating(r))
	})
}

// checkLocks checks that a write which succeeded has not written a field that the person may not write.
func (p *prover) checkLocks(e *fixture.Endpoint, got *fixture.Answer, on *fixture.Row) {
	if len(e.Locks) == 0 || !got.OK() {
		return
	}
	for _, body := range places.Items(e, got.Request) {
		if e.Bulk != nil {
			on = p.rowOf(e, got.By, body)
		}
		p.checkLocksOf(e, got, body, on)
	}
}

// checkLocksOf is [prover.checkLocks] of a body for one row, nil for a new one.
func (p *prover) checkLocksOf(e *fixture.Endpoint, got *fixture.Answer, body map[string]any, on *fixture.Row) {
	for _, name := range slices.Sorted(maps.Keys(e.Locks)) {
		value, sent := body[name]
		rule := p.lock(e, got.By, name)
		switch {
		case rule == nil:
		case sent && (on == nil && !places.IsDefault(e.Input, name, value) || on != nil && p.changedAt(e.Resource, on, name)):
			p.find(e, got.By, got.Curl(), "it writes %s, which needs %s", name, rule.Permission)
		case !sent && e.Fills() && on != nil && p.changedAt(e.Resource, on, name):
			p.find(e, got.By, got.Curl(), "it changes %s, which the body does not have and which needs %s", name, rule.Permission)
		}
	}
}

// rowOf returns the row whose key, or natural key, an item of a request for several rows has; nil for a new one.
func (p *prover) rowOf(e *fixture.Endpoint, who *fixture.Person, item map[string]any) *fixture.Row {
	key := e.Bulk.Key
	if key.Column == nil {
		key = e.Bulk.Natural
	}
	if key.Column == nil {
		return nil
	}
	rows := p.RowsOf(e.Resource)
	at := slices.IndexFunc(rows, func(one *fixture.Row) bool {
		return one.Values[key.Column.Name] == places.Text(item[key.Name]) && (!e.Bulk.Owned || one.By == who)
	})
	if at < 0 {
		return nil
	}
	return rows[at]
}

// lock returns a rule by which a person may not write a field of a body; nil if there is none.
func (p *prover) lock(e *fixture.Endpoint, who *fixture.Person, name string) *fieldrule.Rule {
	c := p.CallOf(who, e.Route)
	for _, rule := range e.Locks[name] {
		if !rule.Permission.Permit(c) {
			return rule
		}
	}
	return nil
}

// changedAt reports whether the stored value of a field is no longer that of a row.
func (p *prover) changedAt(r *table.Resource, one *fixture.Row, name string) bool {
	column, key := r.Names[name].Column, p.KeysOf(one.Table)
	if column == nil {
		return false
	}
	for _, now := range p.Contents()[one.Table] {
		if now.At(key) == one.Values.At(key) {
			return now[column.Name] != one.Values[column.Name]
		}
	}
	return false
}

// tryLocks sends a body without the fields that the person may not write, after a person who may has
// written them: they must stay as they are.
func (p *prover) tryLocks(e *fixture.Endpoint, one *fixture.Row) {
	if len(e.Locks) == 0 || !e.Fills() || one == nil {
		return
	}
	writes := func(may bool) *fixture.Person {
		for _, who := range append([]*fixture.Person{one.By}, p.People...) {
			locked := slices.ContainsFunc(slices.Collect(maps.Keys(e.Locks)), func(name string) bool { return p.lock(e, who, name) != nil })
			if locked != may && p.Permits(e, who, one) {
				return who
			}
		}
		return nil
	}
	holder, other := writes(true), writes(false)
	if holder == nil || other == nil {
		return
	}
	for range fixture.Attempts { // until the values are not those of fields that are not set
		_, _ = p.Succeed(e, holder, one)
		if p.allSet(e, one) {
			break
		}
	}
	w := p.WriterLike(e, other, one, "")
	for name := range e.Locks {
		w.Left["/"+name] = true
	}
	if r, ok := p.RequestOf(e, w, one); ok {
		before, got := p.Contents(), p.Send(e, r)
		p.untouched(e, got, one, before, nil)
		p.settle(e, got, before, one, nil)
	}
}

// allSet reports whether a row has a value in each field of an endpoint that has a rule about writing.
func (p *prover) allSet(e *fixture.Endpoint, one *fixture.Row) bool {
	for name := range e.Locks {
		column := e.Resource.Names[name].Column
		if column != nil && slices.Contains([]string{"", "0", "false"}, one.Values[column.Name]) {
			return false
		}
	}
	return true
}
