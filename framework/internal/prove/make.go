package prove

import (
	"net/http"
	"strings"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// mostFailures is how often a create may fail before it is given up.
const mostFailures = 3

// attempts is how often a request is made again with other values until it succeeds.
const attempts = 6

// rowFor returns the newest row of a viewset that a person may name: one that they made, or else
// one that they may see. It makes one if there is none; nil if that fails.
func (p *Fixture) rowFor(who *person, r *table.Resource) *row {
	var seen *row
	for _, one := range p.rowsOf(r) {
		if one.by == who && p.sees(who, r, one) {
			return one
		}
		if seen == nil && p.sees(who, r, one) {
			seen = one
		}
	}
	if seen != nil {
		return seen
	}
	return p.makeRow(who, r)
}

// makeRow makes a row that a person may see: they make it, or else another person does.
func (p *Fixture) makeRow(who *person, r *table.Resource) *row {
	makers := append([]*person{who}, p.people[1:]...)
	for _, maker := range makers {
		for _, e := range p.makersOf(r) {
			if e.access(maker) == spec.AccessRefused || !p.mayYield(e, maker, r) {
				continue
			}
			fresh, _ := p.create(e, maker)
			for _, one := range fresh {
				if one.table == r.Table.Name && p.sees(who, r, one) {
					return one
				}
			}
		}
	}
	return nil
}

// mayYield reports whether it is not known that a person's creates at an endpoint fail, or make no
// row of a viewset.
func (p *Fixture) mayYield(e *endpoint, who *person, r *table.Resource) bool {
	if p.failures[attempt{e, who.at}] >= mostFailures {
		return false
	}
	return p.yields[e] == nil || p.yields[e][r.Table.Name]
}

// An attempt is a create of an endpoint by a kind of caller.
type attempt struct {
	e  *endpoint
	at int
}

// makersOf lists the endpoints that may make a row of a viewset: those that create rows of its
// table, then other endpoints that make rows, which may have it as a part.
func (p *Fixture) makersOf(r *table.Resource) (all []*endpoint) {
	var others []*endpoint
	for _, e := range p.endpoints {
		switch {
		case !e.makes():
		case e.Resource.Table != nil && e.Resource.Table.Name == r.Table.Name:
			all = append(all, e)
		case e.Resource.Path != "auth":
			others = append(others, e)
		}
	}
	return append(all, others...)
}

// create sends the request of an endpoint that makes a row, until it succeeds. It returns the rows that
// are new, and whether the request succeeded.
func (p *Fixture) create(e *endpoint, who *person) ([]*row, bool) {
	if p.making[e] {
		return nil, false
	}
	p.making[e] = true
	defer delete(p.making, e)
	got, fresh := p.succeed(e, who, nil)
	if got == nil || !got.ok() {
		p.failures[attempt{e, who.at}]++
		return nil, false
	}
	delete(p.failures, attempt{e, who.at})
	if p.yields[e] == nil {
		p.yields[e] = map[string]bool{}
	}
	for _, one := range fresh {
		p.yields[e][one.table] = true
	}
	return fresh, true
}

// succeed sends the request of an endpoint for a row, nil for none, until it succeeds: with
// other values, without members that were rejected, and at last after the person's other creates,
// because a function may need rows that no declaration names. It returns the last answer, nil
// if no request could be made, and the rows that are new.
func (p *Fixture) succeed(e *endpoint, who *person, on *row) (got *answer, fresh []*row) {
	w := &writer{Fixture: p, by: who, left: map[string]bool{}, on: on}
	for n := range attempts {
		r, ok := p.requestOf(e, w, on)
		if !ok {
			return got, fresh
		}
		var made []*row
		got, made = p.perform(e, r, on)
		fresh = append(fresh, made...)
		switch {
		case got.ok():
			p.fits[e] = *w
			return got, fresh
		case e.access(who) == spec.AccessRefused, got.status == http.StatusNotFound && on != nil:
			return got, fresh
		}
		if rejected := w.adapt(e, got); n == 1 && len(p.making) < 2 && (!rejected || got.status != http.StatusBadRequest) {
			p.prepare(e, who)
		}
	}
	return got, fresh
}

// writerLike returns a writer that leaves out what the last body of an endpoint that succeeded left
// out, except for a member at a pointer and what it is in.
func (p *Fixture) writerLike(e *endpoint, who *person, on *row, except string) *writer {
	w := &writer{Fixture: p, by: who, left: map[string]bool{}, on: on, least: p.fits[e].least, past: p.fits[e].past}
	for pointer := range p.fits[e].left {
		if except != pointer && !strings.HasPrefix(except, pointer+"/") {
			w.left[pointer] = true
		}
	}
	return w
}

// adapt changes how further bodies are made, after one was rejected. It reports whether the answer
// names members.
func (w *writer) adapt(e *endpoint, got *answer) bool {
	w.least = w.vary && got.status == http.StatusConflict
	w.vary, w.past = w.vary || got.status == http.StatusConflict, !w.past
	rejected := pointersIn(got.value())
	for _, pointer := range rejected {
		at := strings.TrimPrefix(pointer, w.wrapped(e))
		for at != "" && w.left[at] { // it was left out before, so leave out what it is in
			at = at[:max(0, strings.LastIndex(at, "/"))]
		}
		w.left[at] = true
	}
	return len(rejected) > 0
}

// wrapped is the pointer of the member around a body, "" without one.
func (w *writer) wrapped(e *endpoint) string {
	if e.BodyIn.Member == "" {
		return ""
	}
	return "/" + e.BodyIn.Member
}

// prepare runs the other creates of the same service that a person may use.
func (p *Fixture) prepare(e *endpoint, who *person) {
	for _, other := range p.endpoints {
		same := other.Resource.Path == e.Resource.Path
		if other == e || same != e.Resource.Declaration.Single || !other.makes() || other.spec.Service != e.spec.Service {
			continue
		}
		if other.access(who) != spec.AccessRefused && p.failures[attempt{other, who.at}] < mostFailures {
			_, _ = p.create(other, who)
		}
	}
}

// rowWhere returns a row of a viewset for which a function is true. It makes one if there is none; nil if
// that fails.
func (p *Fixture) rowWhere(who *person, r *table.Resource, may func(*row) bool) *row {
	for _, one := range p.rowsOf(r) {
		if may(one) {
			return one
		}
	}
	for _, maker := range p.makersOf(r) {
		if maker.access(who) == spec.AccessRefused || !p.mayYield(maker, who, r) {
			continue
		}
		fresh, _ := p.create(maker, who)
		for _, one := range fresh {
			if one.table == r.Table.Name && may(one) {
				return one
			}
		}
	}
	return nil
}
