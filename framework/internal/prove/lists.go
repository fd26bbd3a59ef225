package prove

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// A look is one way to read, and what a person last got from it.
type look struct {
	e   *endpoint
	r   request
	was *answer
	// varies: two answers differ although nothing changed, as those with a new secret do.
	varies bool
}

// tryLists shows that rows of one caller do not show in what others read. For each endpoint that
// makes a row: the owner makes one, the others read all that they may, the owner makes another one
// with the same values, and the others read again. What they read must not change, unless they may
// see the row.
func (p *prover) tryLists() {
	for _, e := range p.endpoints {
		if !e.makes() || e.Resource.Path == "auth" {
			continue
		}
		maker := p.makerOf(e)
		if maker == nil {
			continue
		}
		p.create(e, p.people[2]) // so that the lists of the others are not all empty
		if len(p.create(e, maker)) == 0 {
			continue
		}
		p.compareLooks(e, maker)
	}
}

// makerOf returns the owner, or else the first person that the declarations permit.
func (p *prover) makerOf(e *endpoint) *person {
	for _, who := range p.people[1:] {
		if e.access(who) != spec.AccessRefused {
			return who
		}
	}
	return nil
}

func (p *prover) compareLooks(e *endpoint, maker *person) {
	newest := p.rowsOf(e.Resource)
	if len(newest) == 0 {
		return
	}
	var looks []*look
	for _, who := range p.others(maker) {
		if !p.sees(who, e.Resource, newest[0]) {
			looks = append(looks, p.looks(who, newest[0])...)
		}
	}
	// The rows that it needs may be new too, and seen by others: the next one finds them there.
	for range 2 {
		for _, l := range looks {
			l.was = p.send(l.e, l.r)
			l.varies = p.send(l.e, l.r).plain() != l.was.plain()
		}
		known := slices.Clone(p.made)
		if len(p.create(e, maker)) == 0 {
			return
		}
		fresh := slices.DeleteFunc(slices.Clone(p.made), func(one *row) bool { return slices.Contains(known, one) })
		if p.compared(e, looks, newest[0], fresh) {
			return
		}
	}
}

// compared reads again after rows were made, and compares. It is false if a person sees one of the
// rows, so that what the person reads may differ.
func (p *prover) compared(e *endpoint, looks []*look, like *row, fresh []*row) bool {
	for _, l := range looks {
		if slices.ContainsFunc(fresh, func(one *row) bool { return p.served(one) && !p.hiddenFrom(l.r.by, one) }) {
			return false
		}
	}
	for _, l := range looks {
		now := p.send(l.e, l.r)
		secret := p.secretIn(now.text, l.r.by)
		narrowed := l.e.Resource.Table != nil && !p.sees(l.r.by, l.e.Resource, like) && l.e.Resource.Table.Name == e.Resource.Table.Name
		switch {
		case secret != "":
			p.find(l.e, l.r.by, now.curl(), "the answer has %q, which is of a row that is not theirs", secret)
		case !l.varies && now.plain() != l.was.plain() && (e.declared() || narrowed):
			p.find(l.e, l.r.by, now.curl(), "the answer changed when another caller made a row by %s %s:\n%s\n--- and before:\n%s", e.info.Method, e.info.Path, clip(now.plain()), clip(l.was.plain()))
		}
	}
	return true
}

// served reports whether a viewset serves rows of the table.
func (p *prover) served(one *row) bool {
	return slices.ContainsFunc(p.registry.Resources, func(r *table.Resource) bool { return r.Table.Name == one.table })
}

// secretIn returns the key of a row that an answer has and that no viewset shows to the person.
func (p *prover) secretIn(text string, who *person) string {
	for _, one := range p.made {
		key := strings.Trim(one.values.at(p.keysOf(one.table)), "[]")
		if len(key) > 8 && strings.Contains(text, key) && p.hiddenFrom(who, one) && !p.refersTo(who, key) {
			return key
		}
	}
	return ""
}

// refersTo reports whether a row that a person may see refers to a key, so that the person may know
// the key.
func (p *prover) refersTo(who *person, key string) bool {
	for _, one := range p.made {
		for _, value := range one.values {
			if value == key && !p.hiddenFrom(who, one) {
				return true
			}
		}
	}
	return false
}

// looks lists the ways in which a person reads: each GET, of a row that they may see if it names
// one, with each order, and each parameter with values of a row that the person may not see.
func (p *prover) looks(who *person, hidden *row) (all []*look) {
	for _, e := range p.endpoints {
		if e.info.Method != http.MethodGet || e.access(who) == spec.AccessRefused || e.Parts != nil {
			continue
		}
		path, ok := p.pathOf(e, who, p.seenBy(who, e))
		if !ok {
			continue
		}
		add := func(query string) {
			all = append(all, &look{e: e, r: request{method: http.MethodGet, path: path, query: query, by: who}})
		}
		add("")
		for _, param := range e.spec.Params {
			for _, value := range valuesFor(param, hidden) {
				add(url.Values{param.Name: {value}}.Encode())
			}
		}
	}
	return all
}

// seenBy returns a row that a person may have at an endpoint, nil for an endpoint of no row.
func (p *prover) seenBy(who *person, e *endpoint) *row {
	if e.spec.Key == nil {
		return nil
	}
	for _, one := range p.rowsOf(e.Resource) {
		if p.has(who, e, one) {
			return one
		}
	}
	return nil
}

// mostValues limits the values of one parameter.
const mostValues = 12

// valuesFor lists the values to try for a parameter: each of its enum, or else values of a row.
func valuesFor(param spec.Param, one *row) (values []string) {
	if len(param.Enum) > 0 {
		return param.Enum[:min(len(param.Enum), mostValues)]
	}
	names := []string{param.Name, param.Name + "_id"}
	for _, prefix := range []string{"min_", "max_", "not_"} {
		names = append(names, strings.TrimPrefix(param.Name, prefix))
	}
	for _, name := range names {
		if value := one.values[name]; value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if param.Name == "search" || param.Name == "q" {
		for _, value := range one.values {
			if strings.Trim(value, letters) == "" && len(value) > 2 {
				values = append(values, value)
			}
		}
		slices.Sort(values)
	}
	return values[:min(len(values), mostValues)]
}
