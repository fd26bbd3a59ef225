package prove

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// tryReferences sends bodies that name rows of others: the answer must be that for a row that
// does not exist.
func (p *prover) tryReferences(e *endpoint, on *row) {
	if e.Input == nil || len(e.Input.Refs()) == 0 || e.info.Method == http.MethodGet {
		return
	}
	for _, pointer := range p.referencesOf(e, on) {
		for _, who := range append(slices.Clone(p.people[2:]), p.owner) {
			if e.access(who) != spec.AccessRefused && (on == nil || p.has(who, e, on)) && p.tryReference(e, who, on, pointer) {
				break
			}
		}
	}
}

// referencesOf lists the pointers of the references that a body of an endpoint has.
func (p *prover) referencesOf(e *endpoint, on *row) []string {
	w := &writer{Fixture: p.Fixture, by: p.people[2], left: map[string]bool{}, used: map[string]string{}, on: on}
	w.body(e)
	return slices.Sorted(maps.Keys(w.used))
}

// tryReference sends a body with a reference to a row that the person may not see. It reports whether
// there is one.
func (p *prover) tryReference(e *endpoint, who *person, on *row, pointer string) bool {
	w := p.writerLike(e, who, on, pointer)
	w.used = map[string]string{}
	w.body(e)
	target, err := p.registry.LookUp(w.used[pointer])
	if err != nil {
		return false
	}
	theirs := p.hiddenRow(who, target)
	if via := e.owning(pointer); theirs == nil && via != nil && !p.lifts(who, e) {
		theirs = p.foreignRow(who, target, via)
	}
	if theirs == nil {
		return false
	}
	key := theirs.values[target.Pk.Name]
	w.refs = map[string]string{pointer: key}
	r, ok := p.requestOf(e, w, on)
	if ok {
		p.refer(e, r, pointer, key, missingKey(target.Pk, key))
	}
	return ok
}

// refer sends a request that names another's row at a pointer of its body, and the same for no row.
func (p *prover) refer(e *endpoint, r request, pointer, key, missing string) {
	before := p.contents()
	none := r
	none.body = []byte(mask(string(r.body), key, missing))
	got, other := p.send(e, r), p.send(e, none)
	faults := pointersIn(got.value())
	switch changed := before.changedIn(p.contents()); {
	case got.ok():
		p.find(e, r.by, got.curl(), "a reference to another's row at %s is accepted", pointer)
	case got.plain(key, missing) != other.plain(key, missing):
		p.find(e, r.by, got.curl(), "a reference to another's row at %s is answered otherwise than one to no row:\n%s",
			pointer, difference(got.plain(key, missing), "for "+missing, other.plain(key, missing)))
	case len(faults) > 0 && !slices.ContainsFunc(faults, func(one string) bool { return strings.HasSuffix(one, pointer) }):
		p.skip(e, r.by, got.curl(), "a reference to another's row at %s could not be tried, because the body has other faults:\n%s", pointer, clip(got.text))
	case len(changed) > 0:
		p.find(e, r.by, got.curl(), "a reference to another's row at %s changes %s", pointer, strings.Join(changed, ", "))
	}
}

// hiddenRow returns a row of a viewset that a person may not see, one of the owner's if there is one.
func (p *prover) hiddenRow(who *person, r *table.Resource) (found *row) {
	for _, one := range p.rowsOf(r) {
		switch {
		case p.sees(who, r, one):
		case one.by == p.owner:
			return one
		case found == nil:
			found = one
		}
	}
	return found
}

// foreignRow returns a row that a person may see and that is not in their scope of another viewset.
func (p *prover) foreignRow(who *person, r, via *table.Resource) *row {
	for _, one := range p.rowsOf(r) {
		if !p.owns(who, via, one) {
			return one
		}
	}
	return nil
}

// tryReplay sends the request of one caller with its Idempotency-Key again as another caller, who
// must not get the first one's answer.
func (p *prover) tryReplay(e *endpoint) {
	who := p.people[2]
	if !e.Idempotent || e.access(p.owner) == spec.AccessRefused || e.access(who) == spec.AccessRefused || !e.makes() {
		return
	}
	one := p.fresh(p.owner) // who may make a row even if each caller may make only one
	if one == nil {
		return
	}
	r, ok := p.requestOf(e, p.writerLike(e, one, nil, ""), nil)
	if !ok {
		return
	}
	r.header.Set("Idempotency-Key", p.word(20))
	before := p.contents()
	if first := p.send(e, r); !first.ok() {
		return
	}
	p.learn(before, one)
	after := p.contents()
	again := r
	again.by = who
	got := p.send(e, again)
	if got.header.Get(problem.HeaderReplayed) != "" {
		p.find(e, who, got.curl(), "the answer of another caller is repeated for their Idempotency-Key")
	}
	p.learn(after, who)
}
