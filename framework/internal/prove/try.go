package prove

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/prove/advice"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/prove/sample"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// tryEndpoint sends the requests of one endpoint.
func (p *prover) tryEndpoint(e *fixture.Endpoint) {
	switch {
	case e.Spec.Root:
		p.tryOpen(e)
	case e.Spec.Key != nil:
		p.tryRow(e)
	default:
		p.tryOpen(e)
		p.tryBelow(e)
		p.tryReferences(e, nil)
		p.tryKeys(e)
		p.tryMoves(e)
		p.tryReplay(e)
		p.tryCursors(e)
		p.tryExports(e)
		p.tryTotals(e)
		p.tryBulk(e)
	}
}

// tryOpen tries an endpoint that names no row as each caller: it must reject exactly those that the
// declarations reject.
func (p *prover) tryOpen(e *fixture.Endpoint) {
	p.stock(e, nil)
	some := false
	var last *fixture.Answer
	for _, who := range p.People {
		one := who
		if who.Caller != nil && e.Info.Method != http.MethodGet {
			one = p.Fresh(who) // the request may end the credentials, or change what is single
		}
		if one == nil {
			continue
		}
		if got := p.tryOpenAs(e, one); got != nil && e.Access(who) != spec.AccessRefused {
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
func reached(e *fixture.Endpoint, got *fixture.Answer) bool {
	if e.Declared() || got.Status >= http.StatusInternalServerError || got.Status == http.StatusTooManyRequests {
		return got.OK()
	}
	return e.OfAuth() || len(sample.PointersIn(got.Value())) == 0
}

// tryOpenAs sends the request of one caller. It returns the answer, nil if the request could not be
// made.
func (p *prover) tryOpenAs(e *fixture.Endpoint, who *fixture.Person) *fixture.Answer {
	got, _ := p.Succeed(e, who, nil)
	refused := e.Access(who) == spec.AccessRefused
	switch {
	case got == nil && !refused:
		return nil
	case got == nil:
		got = p.Send(e, fixture.Request{Method: e.Info.Method, Path: p.MissingPath(e), By: who})
	}
	switch {
	case refused && !got.Rejects():
		p.find(e, who, got.Curl(), "it is answered %d, and the declarations reject this caller", got.Status)
	case who == p.People[0] && e.Kind == declare.VerbAccepts && e.Resource.NeedsCaller() && got.Status == http.StatusUnauthorized: // its function sets no owner
	case !refused && got.Rejects() && e.Declared() && e.Bulk == nil: // an item may name a row that is not the caller's to change
		p.find(e, who, got.Curl(), "it is answered %d, and the declarations permit this caller", got.Status)
	case got.Status >= http.StatusInternalServerError:
		p.find(e, who, got.Curl(), "it is answered %d", got.Status)
	}
	return got
}

// unreached reports an endpoint that no caller reached. At first it is left for later: an action of another
// endpoint may make the row that it needs. At last it is reported unless some request succeeded, as one that made a
// row for another endpoint.
func (p *prover) unreached(e *fixture.Endpoint, last *fixture.Answer) {
	usable := func(who *fixture.Person) bool { return e.Access(who) != spec.AccessRefused }
	switch {
	case !slices.ContainsFunc(p.People, usable):
		p.skip(e, p.Owner, "", advice.Rejecting)
	case !p.again:
		p.later = append(p.later, e)
	case e.Tried.Succeeded():
	case last == nil:
		p.skip(e, p.Owner, "", "%s", advice.Unmade(p.FailedMaker(e.Resource)))
	default:
		p.skip(e, last.By, last.Curl(), "%s", advice.Rejected(last))
	}
}

// tryRow tries an endpoint of one row as each caller who does not own the row, and then as
// one that the declarations permit, because requests that always fail would prove nothing.
func (p *prover) tryRow(e *fixture.Endpoint) {
	one := p.rowToReach(e)
	if one == nil {
		p.unreached(e, nil)
		return
	}
	likes := p.referredOfAll(e.Resource, one.By) // an answer may have rows that refer to it, and a database may keep or delete these
	if e.Info.Method == http.MethodGet {
		one = p.referred(e.Resource, one)[0]
	} else {
		p.Alone = e.Kind == declare.VerbDeletes // or other rows may refer to it
		one = p.another(e, one)
		p.Alone = false
	}
	p.reachAll(e, one)
	p.reachLikes(e, one, likes)
	p.reachStaffs(e, one)
	p.tryElsewhere(e, one)
	p.tryLinked(e, one)
	p.tryLocks(e, one)
	p.stock(e, one)
	p.permitted(e, one)
	p.tryMasked(e, one)
	if len(p.Fits[e].Left) > 0 { // the bodies before may have been rejected whatever the row
		if one = p.rowToReach(e); one != nil {
			p.reachAll(e, one)
		}
	}
	if who := p.People[2]; e.Input != nil {
		if own := p.RowFor(who, e.Resource); own != nil && own.By == who {
			p.tryReferences(e, own)
		}
	}
	p.tryKeys(e)
	p.tryMoves(e)
	p.tryChildren(e)
	p.tryLinks(e)
}

// mostFaulty limits the people who also send requests with faults for a row: some who may not see it, and some who may not change it.
const mostFaulty = 3

// reachAll sends the requests for a row as each person who did not make it.
func (p *prover) reachAll(e *fixture.Endpoint, one *fixture.Row) {
	left := map[bool]int{true: mostFaulty, false: mostFaulty}
	for _, who := range p.Others(one.By) {
		p.reach(e, who, one, left)
	}
}

// rowToReach returns a row of an endpoint that the owner made, or else one of another person. If possible, the declarations permit a
// caller to send the request for it.
func (p *prover) rowToReach(e *fixture.Endpoint) (one *fixture.Row) {
	permitted := func(one *fixture.Row) bool {
		return one.Key(e.Resource) != "" && slices.ContainsFunc(p.People, func(who *fixture.Person) bool { return p.Permits(e, who, one) })
	}
	if one = p.RowFor(p.Owner, e.Resource); one != nil && one.By == p.Owner && permitted(one) {
		return one
	}
	users := slices.DeleteFunc(slices.Clone(p.People[1:]), func(who *fixture.Person) bool { return e.Access(who) == spec.AccessRefused })
	for _, who := range users {
		one = p.RowFor(who, e.Resource)
		if one != nil && (one.By == p.Owner || who != p.Owner) && one.Key(e.Resource) != "" {
			break
		}
		one = nil
	}
	if one == nil || permitted(one) {
		return one
	}
	for _, who := range users { // who may only change rows of their own
		if own := p.RowWhere(who, e.Resource, func(own *fixture.Row) bool { return own.By == who && permitted(own) }); own != nil {
			return own
		}
	}
	return one
}

// methodsOf lists the methods to try: for a GET also HEAD and OPTIONS.
func methodsOf(e *fixture.Endpoint) []string {
	if e.Info.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead, http.MethodOptions}
	}
	return []string{e.Info.Method}
}

// reach sends a person's requests for a row that is not theirs. A row that they may not see must
// look like one that does not exist; one that they may not change must stay as it is. left is how many people more send requests with
// faults, by whether the row is hidden from them.
func (p *prover) reach(e *fixture.Endpoint, who *fixture.Person, one *fixture.Row, left map[bool]int) {
	refused := e.Access(who) == spec.AccessRefused
	hidden := !p.Has(who, e, one)
	kept := e.ByWriters && !p.Changes(who, e.Resource, one, e.Route)
	if !refused && !hidden && !kept {
		p.use(e, who, one)
		return
	}
	valid, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
	if !ok {
		return
	}
	paths := []string{valid.Path}
	if hidden {
		paths = append(paths, p.crossed(e, who, one)...)
	}
	before := p.Contents()
	for at, r := range p.variantsFor(e, valid, refused, hidden, left) {
		for _, path := range paths {
			for _, method := range methodsOf(e) {
				r.Method, r.Path = method, path
				p.reachBy(e, r, e.Resource, one, refused, hidden)
			}
		}
		if at == 0 {
			p.checkUnchanged(e, before, valid, "")
		}
	}
	p.checkUnchanged(e, before, valid, ", or one of those with other parameters, conditions or bodies after it,")
}

// checkUnchanged checks that requests for a row that is not the sender's left the database as it was.
func (p *prover) checkUnchanged(e *fixture.Endpoint, before fixture.Contents, sent fixture.Request, orAnother string) {
	if changed := before.ChangedIn(p.Contents()); len(changed) > 0 {
		p.find(e, sent.By, sent.Curl(), "it%s changes %s, and the row is not theirs", orAnother, strings.Join(changed, ", "))
	}
}

// tryBelow sends the requests of an endpoint below a row of another caller: the answers must be those
// below a row that does not exist.
func (p *prover) tryBelow(e *fixture.Endpoint) {
	if e.Resource.Above == nil {
		return
	}
	parent := e.Resource.Above.Parent
	above := p.RowFor(p.Owner, parent)
	if above == nil {
		return
	}
	for _, who := range p.Others(above.By) {
		hidden := !p.Sees(who, parent, above)
		kept := e.ByWriters && e.Resource.Above.ByWriters && !p.Changes(who, parent, above, fixture.Updating(parent))
		keys, ok := p.KeysAbove(parent, who, above)
		if e.Access(who) == spec.AccessRefused || !hidden && !kept || !ok {
			continue
		}
		r := fixture.Request{By: who, Header: http.Header{}}
		r.Query, r.Body = p.WriterLike(e, who, nil, "").Content(e)
		before := p.Contents()
		for _, keys := range append([][]string{keys}, p.crossedKeys(parent, who, keys)...) {
			r.Path = e.PathBelow(append(slices.Clip(keys), above.Key(parent)))
			p.reachBelow(e, r, above, hidden)
		}
		if changed := before.ChangedIn(p.Contents()); len(changed) > 0 {
			p.find(e, who, r.Curl(), "it changes %s below a row that is not theirs", strings.Join(changed, ", "))
		}
	}
}

// reachBelow sends the requests of an endpoint below a row that is not the sender's: by each method, and for each export.
func (p *prover) reachBelow(e *fixture.Endpoint, r fixture.Request, above *fixture.Row, hidden bool) {
	for _, r.Method = range methodsOf(e) {
		p.reachBy(e, r, e.Resource.Above.Parent, above, false, hidden)
	}
	for _, query := range exportsOf(e) {
		r.Method, r.Query = http.MethodGet, query
		p.reachBy(e, r, e.Resource.Above.Parent, above, false, hidden)
	}
}

// variantsFor lists the requests to try: those with faults are left out if the person is rejected anyway, or others have sent them.
func (p *prover) variantsFor(e *fixture.Endpoint, valid fixture.Request, refused, hidden bool, left map[bool]int) []fixture.Request {
	all := p.variants(e, valid)
	if refused || left[hidden] == 0 {
		return all[:2]
	}
	left[hidden]--
	return all
}

// variants lists the requests to try: the valid one, one with other parameters, some with conditions, and some that are faulty for
// any row. A fault must not be reported sooner for a row that exists.
func (p *prover) variants(e *fixture.Endpoint, valid fixture.Request) []fixture.Request {
	all := append([]fixture.Request{valid, valid}, conditions(e, valid)...)
	all[1].Query = "page=0&search=x&unknown=1&ordering=-"
	bodies := faultyBodies
	switch {
	case valid.Body == nil:
		bodies = bodies[:1]
	case valid.By == p.People[2]: // one person is enough for a body that takes long
		bodies = append(slices.Clip(bodies), strings.Repeat(" ", mostOfBody))
	}
	for _, body := range bodies {
		faulty := valid
		faulty.Body = []byte(body)
		all = append(all, faulty)
	}
	return all
}

// conditions lists the valid request with conditions about the version of the row.
func conditions(e *fixture.Endpoint, valid fixture.Request) (all []fixture.Request) {
	add := func(name string, values ...string) {
		for _, value := range values {
			r := valid
			if r.Header = valid.Header.Clone(); r.Header == nil {
				r.Header = http.Header{}
			}
			r.Header.Set(name, value)
			all = append(all, r)
		}
	}
	switch {
	case e.Matches():
		add(conditional.HeaderIfMatch, "*", `"0", "1"`)
	case e.IsTagged() && !e.IsWrite():
		add(conditional.HeaderIfNoneMatch, "*", `"0"`)
	}
	return all
}

// faultyBodies are bodies that no endpoint accepts for a row, or that change nothing.
var faultyBodies = []string{"{", "", "{}", "[]", "{\"name\":\"\xff\"}", `{"unknown member":1}`}

// mostOfBody is a length beyond the usual limit of bodies.
const mostOfBody = 2 << 20

// reachBy sends a request whose path has the key of a row of a viewset, and the same for no row.
func (p *prover) reachBy(e *fixture.Endpoint, r fixture.Request, of *table.Resource, one *fixture.Row, refused, hidden bool) {
	got := p.Send(e, r)
	switch {
	case got.Status >= http.StatusInternalServerError:
		p.find(e, r.By, got.Curl(), "it is answered %d", got.Status)
	case r.Method == http.MethodOptions:
	case refused && !got.Rejects():
		p.find(e, r.By, got.Curl(), "it is answered %d, and the declarations reject this caller", got.Status)
	case !refused && got.OK():
		p.find(e, r.By, got.Curl(), "it is answered %d, and the row is not theirs", got.Status)
	}
	if !hidden {
		return
	}
	key := one.Key(of)
	missing := places.MissingKey(of.Key, key)
	other := r
	other.Path = places.WithKey(r.Path, fixture.Escape(key), fixture.Escape(missing))
	if e.Resource == of {
		other.Body = e.WithOwnKey(r.Body, key, missing)
	}
	none := p.Send(e, other)
	switch {
	case got.Plain(key, missing) != none.Plain(key, missing):
		p.find(e, r.By, got.Curl(), "the answer differs from that for a row that does not exist:\n%s",
			answers.Difference(got.Plain(key, missing), "for "+missing, none.Plain(key, missing)))
	case !refused && none.Rejects() && r.Method != http.MethodOptions:
		p.find(e, r.By, none.Curl(), "it is answered %d for a row that does not exist, and the declarations permit this caller", none.Status)
	}
}

// permitted sends the request as callers that the declarations permit, first the row's owner,
// until one succeeds: for the row, and for the row after other actions of its table, because a
// function may need rows in another state, and a scope may show the row only then. In each state the others try to reach the row first.
func (p *prover) permitted(e *fixture.Endpoint, one *fixture.Row) {
	last := p.permittedFor(e, one)
	if last != nil && last.OK() {
		return
	}
	for _, action := range p.Endpoints {
		same := action.Resource.Table != nil && action.Resource.Table.Name == e.Resource.Table.Name
		if action == e || !same || action.Spec.Key == nil || !action.Acts() {
			continue
		}
		if acted := p.permittedFor(action, one); acted != nil && acted.OK() {
			p.reachAll(e, one)
		}
		// There is no answer if the action has taken the row from every caller.
		if last = cmp.Or(p.permittedFor(e, one), last); last != nil && last.OK() {
			return
		}
	}
	if !p.permittedAnew(e, one) {
		p.unreached(e, last)
	}
}

// permittedAnew sends the request for new rows, which have other booleans, and reports whether one succeeded.
func (p *prover) permittedAnew(e *fixture.Endpoint, one *fixture.Row) bool {
	for range 2 {
		other := p.another(e, one)
		if other == one || !p.Permits(e, one.By, other) {
			return false
		}
		p.reachAll(e, other)
		p.stock(e, other)
		if got := p.permittedFor(e, other); got != nil && got.OK() {
			return true
		}
	}
	return false
}

// another makes a row beside one, by the same person; it returns that one if it cannot. If the row must be alone, another
// person may make it, so that no row refers to it.
func (p *prover) another(e *fixture.Endpoint, one *fixture.Row) *fixture.Row {
	people := []*fixture.Person{one.By}
	if p.Alone {
		people = append(people, p.People...)
	}
	for _, who := range people {
		makers := slices.DeleteFunc(p.MakersOf(e.Resource), func(maker *fixture.Endpoint) bool {
			return maker.Access(who) == spec.AccessRefused || !p.MayYield(maker, who, e.Resource)
		})
		for _, maker := range makers {
			all, _ := p.Create(maker, who)
			at := slices.IndexFunc(all, func(fresh *fixture.Row) bool { return fresh.Table == one.Table && fresh.Key(e.Resource) != "" })
			if at < 0 {
				continue
			}
			if one = all[at]; !p.Alone || len(p.referring()[one.Values[e.Resource.Pk.Name]]) == 0 {
				return one
			}
		}
	}
	return one
}

// tryMasked sends a change as each caller who may make it: the answer must not have a field that a rule hides from the caller, and that of a
// function no column that the views hide.
func (p *prover) tryMasked(e *fixture.Endpoint, one *fixture.Row) {
	for _, who := range p.Others(one.By) {
		hides := len(e.Resource.Fields) > 0 || !e.Declared()
		if hides && e.Info.Method != http.MethodGet && e.Out != input.NoneType && p.Permits(e, who, one) {
			_, _ = p.Succeed(e, who, p.another(e, one))
		}
	}
}

// permittedFor sends a request for a row as callers that the declarations permit, until one
// succeeds. It returns the last answer, nil if the declarations permit none.
func (p *prover) permittedFor(e *fixture.Endpoint, one *fixture.Row) (last *fixture.Answer) {
	for _, who := range append([]*fixture.Person{one.By}, p.People...) {
		if !p.Permits(e, who, one) {
			continue
		}
		if last, _ = p.Succeed(e, who, one); last != nil && last.OK() {
			return last
		}
	}
	return last
}
