package prove

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

func escape(key string) string { return url.PathEscape(key) }

// tryEndpoint sends the requests of one endpoint.
func (p *prover) tryEndpoint(e *endpoint) {
	switch {
	case e.spec.Root:
		p.tryOpen(e)
	case e.spec.Key != nil:
		p.tryRow(e)
	default:
		p.tryOpen(e)
		p.tryReferences(e, nil)
		p.tryReplay(e)
	}
}

// tryOpen tries an endpoint that names no row as each caller: it must reject exactly those that the
// declarations reject.
func (p *prover) tryOpen(e *endpoint) {
	reached := false
	var last *answer
	for _, who := range p.people {
		one := who
		if who.caller != nil && e.info.Method != http.MethodGet {
			one = p.fresh(who) // the request may end the credentials, or change what is single
		}
		if one == nil {
			continue
		}
		if got := p.tryOpenAs(e, one); got != nil && e.access(who) != spec.AccessRefused {
			last = got
			reached = reached || got.ok() || got.status < http.StatusInternalServerError && !e.declared()
		}
	}
	if !reached {
		p.unreached(e, last)
	}
}

// tryOpenAs sends the request of one caller. It returns the answer, nil if the request could not be
// made.
func (p *prover) tryOpenAs(e *endpoint, who *person) *answer {
	before := p.contents()
	got := p.succeed(e, who, nil)
	refused := e.access(who) == spec.AccessRefused
	switch {
	case got == nil && !refused:
		return nil
	case got == nil:
		got = p.send(e, request{method: e.info.Method, path: p.missingPath(e), by: who})
	default:
		p.untouched(e, got, before)
	}
	switch {
	case refused && !got.rejects():
		p.find(e, who, got.curl(), "it is answered %d, and the declarations reject this caller", got.status)
	case !refused && got.rejects() && e.declared():
		p.find(e, who, got.curl(), "it is answered %d, and the declarations permit this caller", got.status)
	case got.status >= http.StatusInternalServerError:
		p.find(e, who, got.curl(), "it is answered %d", got.status)
	case got.ok():
		now := p.contents()
		p.learn(before, now, who)
		p.forget(now)
	}
	return got
}

// untouched checks that a request changed no row that its sender may not see.
func (p *prover) untouched(e *endpoint, got *answer, before contents) {
	after := p.contents()
	for _, name := range before.changedIn(after) {
		for _, one := range p.made {
			text := fmt.Sprint(one.values)
			_, was := before[name][text]
			_, is := after[name][text]
			if one.table == name && was && !is && p.hiddenFrom(got.by, one) {
				p.find(e, got.by, got.curl(), "it changes a row of %s that is not theirs", name)
			}
		}
	}
}

// hiddenFrom reports whether a row is of a viewset's table, and no viewset shows it to a person.
func (p *prover) hiddenFrom(who *person, one *row) (hidden bool) {
	for _, r := range p.registry.Resources {
		if r.Table.Name == one.table {
			if p.sees(who, r, one) {
				return false
			}
			hidden = true
		}
	}
	return hidden
}

// unreached reports an endpoint that no caller reached.
func (p *prover) unreached(e *endpoint, last *answer) {
	if last == nil {
		p.skip(e, p.owner, "", "no row for it could be made: declare an endpoint that creates one, or make one in a fixture")
		return
	}
	p.skip(e, last.by, last.curl(), "it is answered %d: %s. Give the fields of its input an example that is valid, or make the rows that it needs in a fixture", last.status, clip(last.text))
}

func clip(text string) string {
	const most = 300
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// fresh makes another person of the same kind, nil if that fails.
func (p *prover) fresh(who *person) *person {
	one, err := p.arrive(who.Kind, who.at)
	if err != nil {
		return nil
	}
	return one
}

// tryRow tries an endpoint of one row as each caller who does not own the row, and then as
// one that the declarations permit, because requests that always fail would prove nothing.
func (p *prover) tryRow(e *endpoint) {
	one := p.rowToReach(e)
	if one == nil {
		p.unreached(e, nil)
		return
	}
	for _, who := range p.others(one.by) {
		p.reach(e, who, one)
	}
	p.permitted(e, one)
	if who := p.people[2]; e.Input != nil {
		if own := p.rowFor(who, e.Resource); own != nil && own.by == who {
			p.tryReferences(e, own)
		}
	}
}

// rowToReach returns a row of an endpoint that the owner made, or else another one.
func (p *prover) rowToReach(e *endpoint) *row {
	for _, who := range append([]*person{p.owner}, p.people[1:]...) {
		one := p.rowFor(who, e.Resource)
		if one != nil && (one.by == p.owner || who != p.owner) && one.key(e.Resource) != "" {
			return one
		}
	}
	return nil
}

// methods lists the methods to try: for a GET also HEAD and OPTIONS.
func (e *endpoint) methods() []string {
	if e.info.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead, http.MethodOptions}
	}
	return []string{e.info.Method}
}

// reach sends a person's requests for a row that is not theirs. A row that they may not see must
// look like one that does not exist; one that they may not change must stay as it is.
func (p *prover) reach(e *endpoint, who *person, one *row) {
	refused := e.access(who) == spec.AccessRefused
	hidden := !p.has(who, e, one)
	kept := e.ByWriters && !p.changes(who, e.Resource, one, e.Route)
	if !refused && !hidden && !kept {
		return
	}
	w := &writer{prover: p, by: who, left: map[string]bool{}}
	valid, ok := p.requestOf(e, w, one)
	if !ok {
		return
	}
	before := p.contents()
	for _, method := range e.methods() {
		for _, body := range bodies(valid) {
			r := valid
			r.method, r.body = method, body
			p.reachBy(e, r, one, refused, hidden)
		}
	}
	if changed := before.changedIn(p.contents()); len(changed) > 0 {
		p.find(e, who, valid.curl(), "it changes %s, and the row is not theirs", strings.Join(changed, ", "))
	}
}

// bodies lists the bodies to try: the valid one, an empty object, and none.
func bodies(valid request) [][]byte {
	if valid.body == nil || valid.header.Get("Content-Type") != "" {
		return [][]byte{valid.body}
	}
	return [][]byte{valid.body, []byte("{}"), nil}
}

func (p *prover) reachBy(e *endpoint, r request, one *row, refused, hidden bool) {
	got := p.send(e, r)
	switch {
	case got.status >= http.StatusInternalServerError:
		p.find(e, r.by, got.curl(), "it is answered %d", got.status)
	case r.method == http.MethodOptions:
	case refused && !got.rejects():
		p.find(e, r.by, got.curl(), "it is answered %d, and the declarations reject this caller", got.status)
	case !refused && got.ok():
		p.find(e, r.by, got.curl(), "it is answered %d, and the row is not theirs", got.status)
	}
	if !hidden {
		return
	}
	key := one.key(e.Resource)
	missing := missingKey(e.Resource, key)
	other := r
	other.path = replaceLast(r.path, escape(key), escape(missing))
	if none := p.send(e, other); got.plain(key) != none.plain(missing) {
		p.find(e, r.by, got.curl(), "the answer differs from that for a row that does not exist:\n%s\n--- and for %s:\n%s",
			clip(got.plain(key)), missing, clip(none.plain(missing)))
	}
}

func replaceLast(text, old, with string) string {
	at := strings.LastIndex(text, old)
	if at < 0 {
		return text
	}
	return text[:at] + with + text[at+len(old):]
}

// missingKey returns a key of no row, in the form of one that exists.
func missingKey(r *table.Resource, key string) string {
	switch t := r.Key.IndirectType; {
	case t == reflect.TypeFor[uuid.UUID]():
		return uuid.Must(uuid.NewV7()).String()
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return strconv.Itoa(999_000_000 + len(key))
	}
	return "none-" + key
}

// missingPath is the path of an endpoint with keys of no rows.
func (p *prover) missingPath(e *endpoint) string {
	path := e.info.Path
	for _, key := range e.spec.Above {
		path = strings.Replace(path, "{"+key.Name+"}", uuid.Must(uuid.NewV7()).String(), 1)
	}
	return path
}

// permitted sends the request as callers that the declarations permit, first the row's owner,
// until one succeeds: for the row, for a new one, and for that after other actions of its viewset,
// because a function may need rows in another state.
func (p *prover) permitted(e *endpoint, one *row) {
	fresh := one
	if e.info.Method != http.MethodGet {
		fresh = p.another(e, one)
	}
	last := p.permittedFor(e, fresh)
	if last == nil || last.ok() {
		if last == nil {
			p.unreached(e, nil)
		}
		return
	}
	for _, action := range p.endpoints {
		same := action.Resource.Table != nil && action.Resource.Table.Name == e.Resource.Table.Name
		if action == e || !same || action.spec.Key == nil || action.info.Method != http.MethodPost {
			continue
		}
		p.permittedFor(action, fresh)
		if last = p.permittedFor(e, fresh); last != nil && last.ok() {
			return
		}
	}
	p.unreached(e, last)
}

// another makes a row beside one, by the same person; it returns that one if it cannot.
func (p *prover) another(e *endpoint, one *row) *row {
	for _, maker := range p.makersOf(e.Resource) {
		if maker.access(one.by) == spec.AccessRefused || !p.mayYield(maker, one.by, e.Resource) {
			continue
		}
		for _, fresh := range p.create(maker, one.by) {
			if fresh.table == one.table {
				return fresh
			}
		}
	}
	return one
}

// permittedFor sends a request for a row as callers that the declarations permit, until one
// succeeds. It returns the last answer, nil if the declarations permit none.
func (p *prover) permittedFor(e *endpoint, one *row) (last *answer) {
	for _, who := range append([]*person{one.by}, p.people...) {
		if e.access(who) == spec.AccessRefused || !p.has(who, e, one) || e.ByWriters && !p.changes(who, e.Resource, one, e.Route) {
			continue
		}
		before := p.contents()
		if last = p.succeed(e, who, one); last == nil || !last.ok() {
			continue
		}
		after := p.contents()
		p.learn(before, after, one.by)
		p.forget(after)
		return last
	}
	return last
}

// tryReferences sends bodies that name rows of others: the answer must be that for a row that
// does not exist.
func (p *prover) tryReferences(e *endpoint, on *row) {
	who := p.people[2]
	if e.Input == nil || len(e.Input.Refs()) == 0 || e.info.Method == http.MethodGet || e.access(who) == spec.AccessRefused {
		return
	}
	w := &writer{prover: p, by: who, left: map[string]bool{}, used: map[string]string{}}
	w.body(e)
	for _, pointer := range slices.Sorted(maps.Keys(w.used)) {
		target, err := p.registry.LookUp(w.used[pointer])
		if err != nil {
			continue
		}
		if theirs := p.hiddenRow(who, target); theirs != nil {
			key := theirs.values[target.Pk.Name]
			w.refs = map[string]string{pointer: key}
			if r, ok := p.requestOf(e, w, on); ok {
				p.refer(e, r, pointer, key, missingKey(target, key))
			}
		}
	}
}

// refer sends a request that names another's row at a pointer of its body, and the same for no row.
func (p *prover) refer(e *endpoint, r request, pointer, key, missing string) {
	before := p.contents()
	none := r
	none.body = []byte(strings.ReplaceAll(string(r.body), key, missing))
	got, other := p.send(e, r), p.send(e, none)
	switch changed := before.changedIn(p.contents()); {
	case got.ok():
		p.find(e, r.by, got.curl(), "a reference to another's row at %s is accepted", pointer)
	case got.plain(key) != other.plain(missing):
		p.find(e, r.by, got.curl(), "a reference to another's row at %s is answered otherwise than one to no row:\n%s\n--- and\n%s",
			pointer, clip(got.plain(key)), clip(other.plain(missing)))
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

// tryReplay sends the request of one caller with its Idempotency-Key again as another caller, who
// must not get the first one's answer.
func (p *prover) tryReplay(e *endpoint) {
	who := p.people[2]
	if !e.Idempotent || e.access(p.owner) == spec.AccessRefused || e.access(who) == spec.AccessRefused || !e.makes() {
		return
	}
	w := &writer{prover: p, by: p.owner, left: map[string]bool{}}
	r, ok := p.requestOf(e, w, nil)
	if !ok {
		return
	}
	r.header.Set("Idempotency-Key", p.word(20))
	before := p.contents()
	if first := p.send(e, r); !first.ok() {
		return
	}
	after := p.contents()
	fresh := p.learn(before, after, p.owner)
	again := r
	again.by = who
	got := p.send(e, again)
	for _, one := range fresh {
		if id := one.values.at(p.keysOf(one.table)); len(id) > 20 && strings.Contains(got.text, strings.Trim(id, "[]")) {
			p.find(e, who, got.curl(), "the answer of another caller is repeated for their Idempotency-Key")
		}
	}
	p.learn(after, p.contents(), who)
}
