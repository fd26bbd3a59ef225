package prove

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// tryEndpoint sends the requests of one endpoint.
func (p *prover) tryEndpoint(e *endpoint) {
	switch {
	case e.spec.Root:
		p.tryOpen(e)
	case e.spec.Key != nil:
		p.tryRow(e)
	default:
		p.tryOpen(e)
		p.tryBelow(e)
		p.tryReferences(e, nil)
		p.tryReplay(e)
	}
}

// tryOpen tries an endpoint that names no row as each caller: it must reject exactly those that the
// declarations reject.
func (p *prover) tryOpen(e *endpoint) {
	p.stock(e)
	some := false
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
			some = some || reached(e, got)
		}
	}
	if !some {
		p.unreached(e, last)
	}
}

// reached reports whether a request reached what an endpoint does. A function may reject what it
// wants, but the proof must make a body and parameters that are valid. Package auth needs secrets,
// which it sends by mail.
func reached(e *endpoint, got *answer) bool {
	if e.declared() || got.status >= http.StatusInternalServerError || got.status == http.StatusTooManyRequests {
		return got.ok()
	}
	return e.Resource.Path == "auth" || len(pointersIn(got.value())) == 0
}

// tryOpenAs sends the request of one caller. It returns the answer, nil if the request could not be
// made.
func (p *prover) tryOpenAs(e *endpoint, who *person) *answer {
	got, _ := p.succeed(e, who, nil)
	refused := e.access(who) == spec.AccessRefused
	switch {
	case got == nil && !refused:
		return nil
	case got == nil:
		got = p.send(e, request{method: e.info.Method, path: p.missingPath(e), by: who})
	}
	switch {
	case refused && !got.rejects():
		p.find(e, who, got.curl(), "it is answered %d, and the declarations reject this caller", got.status)
	case !refused && got.rejects() && e.declared():
		p.find(e, who, got.curl(), "it is answered %d, and the declarations permit this caller", got.status)
	case got.status >= http.StatusInternalServerError:
		p.find(e, who, got.curl(), "it is answered %d", got.status)
	}
	return got
}

// unreached reports an endpoint that no caller reached.
func (p *prover) unreached(e *endpoint, last *answer) {
	usable := func(who *person) bool { return e.access(who) != spec.AccessRefused }
	switch {
	case !slices.ContainsFunc(p.people, usable):
		p.skip(e, p.owner, "", "the declarations reject every caller: list a kind of caller that its permission permits")
	case last == nil:
		p.skip(e, p.owner, "", "no row for it could be made: declare an endpoint that creates one, or insert one by a migration")
	default:
		p.skip(e, last.by, last.curl(), "it is answered %d: %s\n"+
			"Give the fields of its input examples that are valid, or declare the endpoints that make the rows which it needs", last.status, clip(last.text))
	}
}

// difference returns the lines of an answer that another one lacks, and those of the other one.
func difference(one, name, other string) string {
	lacks := func(text, of string) string {
		return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
			return slices.Contains(strings.Split(of, "\n"), line)
		}), "\n")
	}
	mine, theirs := lacks(one, other), lacks(other, one)
	// Of two long lines that begin in the same way, it shows what follows.
	const before = 60
	same := 0
	for same < min(len(mine), len(theirs)) && mine[same] == theirs[same] {
		same++
	}
	if same > before && !strings.Contains(mine[:same], "\n") {
		mine, theirs = "…"+mine[same-before:], "…"+theirs[same-before:]
	}
	return clip(mine) + "\n--- and " + name + ":\n" + clip(theirs)
}

// tryRow tries an endpoint of one row as each caller who does not own the row, and then as
// one that the declarations permit, because requests that always fail would prove nothing.
func (p *prover) tryRow(e *endpoint) {
	one := p.rowToReach(e)
	if one == nil {
		p.unreached(e, nil)
		return
	}
	if e.info.Method == http.MethodGet {
		one = p.referred(e.Resource, one)[0] // an answer may have rows that refer to it
	} else {
		one = p.another(e, one)
	}
	p.reachAll(e, one)
	p.tryElsewhere(e, one)
	p.tryLocks(e, one)
	p.stock(e)
	p.permitted(e, one)
	if len(p.fits[e].left) > 0 { // the bodies before may have been rejected whatever the row
		if one = p.rowToReach(e); one != nil {
			p.reachAll(e, one)
		}
	}
	if who := p.people[2]; e.Input != nil {
		if own := p.rowFor(who, e.Resource); own != nil && own.by == who {
			p.tryReferences(e, own)
		}
	}
}

// reachAll sends the requests for a row as each person who did not make it.
func (p *prover) reachAll(e *endpoint, one *row) {
	for _, who := range p.others(one.by) {
		p.reach(e, who, one)
	}
}

// rowToReach returns a row of an endpoint that the owner made, or else one of another person. The
// declarations permit a caller to send the request for it.
func (p *prover) rowToReach(e *endpoint) *row {
	one := p.rowFor(p.owner, e.Resource)
	if one != nil && one.by == p.owner && one.key(e.Resource) != "" && slices.ContainsFunc(p.people, func(who *person) bool { return p.permits(e, who, one) }) {
		return one
	}
	for _, who := range p.people[1:] {
		if e.access(who) == spec.AccessRefused {
			continue
		}
		if one = p.rowFor(who, e.Resource); one != nil && (one.by == p.owner || who != p.owner) && one.key(e.Resource) != "" {
			return one
		}
	}
	return nil
}

// methodsOf lists the methods to try: for a GET also HEAD and OPTIONS.
func methodsOf(e *endpoint) []string {
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
		p.use(e, who, one)
		return
	}
	valid, ok := p.requestOf(e, p.writerLike(e, who, one, ""), one)
	if !ok {
		return
	}
	paths := []string{valid.path}
	if crossed := p.crossed(e, who, one); hidden && crossed != valid.path {
		paths = append(paths, crossed)
	}
	before := p.contents()
	for _, path := range paths {
		for _, method := range methodsOf(e) {
			for _, r := range p.variants(valid) {
				r.method, r.path = method, path
				p.reachBy(e, r, e.Resource, one, refused, hidden)
			}
		}
	}
	if changed := before.changedIn(p.contents()); len(changed) > 0 {
		p.find(e, who, valid.curl(), "it changes %s, and the row is not theirs", strings.Join(changed, ", "))
	}
}

// crossed is the path of a row below a row of the person, although it is below another one.
func (p *prover) crossed(e *endpoint, who *person, one *row) string {
	path, ok := p.pathOf(e, who, one)
	if above := e.Resource.Above; above != nil && ok {
		was, _ := p.keysAbove(e.Resource, who, one)
		if own := p.rowFor(who, above.Parent); own != nil && len(was) > 0 {
			path = strings.Replace(path, "/"+escape(was[len(was)-1])+"/", "/"+escape(own.key(above.Parent))+"/", 1)
		}
	}
	return path
}

// tryBelow sends the requests of an endpoint below a row of another caller: the answers must be those
// below a row that does not exist.
func (p *prover) tryBelow(e *endpoint) {
	if e.Resource.Above == nil {
		return
	}
	parent := e.Resource.Above.Parent
	above := p.rowFor(p.owner, parent)
	if above == nil {
		return
	}
	for _, who := range p.others(above.by) {
		hidden := !p.sees(who, parent, above)
		kept := e.ByWriters && e.Resource.Above.ByWriters && !p.changes(who, parent, above, updating(parent))
		keys, ok := p.keysAbove(parent, who, above)
		if e.access(who) == spec.AccessRefused || !hidden && !kept || !ok {
			continue
		}
		r := request{method: e.info.Method, path: e.pathBelow(append(keys, above.key(parent))), by: who, header: http.Header{}}
		r.body = p.writerLike(e, who, nil, "").body(e)
		before := p.contents()
		p.reachBy(e, r, parent, above, false, hidden)
		if changed := before.changedIn(p.contents()); len(changed) > 0 {
			p.find(e, who, r.curl(), "it changes %s below a row that is not theirs", strings.Join(changed, ", "))
		}
	}
}

// variants lists the requests to try: the valid one, and some that are faulty for any row. A fault must
// not be reported sooner for a row that exists.
func (p *prover) variants(valid request) []request {
	all := []request{valid, valid}
	all[1].query = "page=0&search=x&unknown=1&ordering=-"
	bodies := faultyBodies
	switch {
	case valid.body == nil:
		bodies = bodies[:1]
	case valid.by == p.people[2]: // one person is enough for a body that takes long
		bodies = append(slices.Clip(bodies), strings.Repeat(" ", mostOfBody))
	}
	for _, body := range bodies {
		faulty := valid
		faulty.body = []byte(body)
		all = append(all, faulty)
	}
	return all
}

// faultyBodies are bodies that no endpoint accepts for a row, or that change nothing.
var faultyBodies = []string{"{", "", "{}", "[]", "{\"name\":\"\xff\"}", `{"unknown member":1}`}

// mostOfBody is a length beyond the usual limit of bodies.
const mostOfBody = 2 << 20

// reachBy sends a request whose path has the key of a row of a viewset, and the same for no row.
func (p *prover) reachBy(e *endpoint, r request, of *table.Resource, one *row, refused, hidden bool) {
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
	key := one.key(of)
	missing := missingKey(of.Key, key)
	other := r
	other.path = withKey(r.path, escape(key), escape(missing))
	none := p.send(e, other)
	switch {
	case got.plain(key, missing) != none.plain(key, missing):
		p.find(e, r.by, got.curl(), "the answer differs from that for a row that does not exist:\n%s",
			difference(got.plain(key, missing), "for "+missing, none.plain(key, missing)))
	case !refused && none.rejects() && r.method != http.MethodOptions:
		p.find(e, r.by, none.curl(), "it is answered %d for a row that does not exist, and the declarations permit this caller", none.status)
	}
}

// withKey returns a path with another key in the last place that has the key.
func withKey(path, key, another string) string {
	parts := strings.Split(path, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == key {
			parts[i] = another
			break
		}
	}
	return strings.Join(parts, "/")
}

// missingKey returns a value of a column of keys that no row has, in the form of one that exists.
func missingKey(column *schema.Field, key string) string {
	switch t := column.IndirectType; {
	case t == reflect.TypeFor[uuid.UUID]():
		return uuid.Must(uuid.NewV7()).String()
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64:
		return strconv.Itoa(999_000_000 + len(key))
	}
	return "none-" + key
}

// permitted sends the request as callers that the declarations permit, first the row's owner,
// until one succeeds: for the row, and for the row after other actions of its viewset, because a
// function may need rows in another state. In each state the others try to reach the row first.
func (p *prover) permitted(e *endpoint, one *row) {
	last := p.permittedFor(e, one)
	if last == nil || last.ok() {
		if last == nil {
			p.unreached(e, nil)
		}
		return
	}
	for _, action := range p.endpoints {
		same := action.Resource.Table != nil && action.Resource.Table.Name == e.Resource.Table.Name
		if action == e || !same || action.spec.Key == nil || !action.acts() {
			continue
		}
		if acted := p.permittedFor(action, one); acted != nil && acted.ok() {
			p.reachAll(e, one)
		}
		if last = p.permittedFor(e, one); last != nil && last.ok() {
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
		all, _ := p.create(maker, one.by)
		for _, fresh := range all {
			if fresh.table == one.table && fresh.key(e.Resource) != "" {
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
		if !p.permits(e, who, one) {
			continue
		}
		if last, _ = p.succeed(e, who, one); last != nil && last.ok() {
			return last
		}
	}
	return last
}
