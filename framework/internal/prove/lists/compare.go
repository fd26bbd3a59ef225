package lists

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// A Look is one way to read, and what a person last got from it.
type Look struct {
	e   *exchange.Endpoint
	r   exchange.Request
	was *exchange.Answer
	// shows: the person saw one of the rows that change.
	shows bool
}

// tryLists shows that rows of one caller do not show in what others read. For each endpoint that
// makes a row: the owner makes one, the others read all that they may, the owner makes another one
// with the same values, and the others read again. What they read must not change, unless they may
// see the row.
func (p prover) tryLists() {
	for _, e := range p.Endpoints {
		if !e.Makes() || e.OfAuth() || p.Broken != nil {
			continue
		}
		for range 2 { // so that the lists of the others have more rows than a page
			_, _ = p.Create(e, p.People[2])
		}
		for _, maker := range p.People[1:] {
			if e.Access(maker) == spec.AccessRefused {
				continue
			}
			if fresh, ok := p.Create(e, maker); ok {
				like := p.likeOf(e, maker, fresh)
				p.compareLooks(e, maker, like, nil, func() bool { return p.createAgain(e, maker) })
				break
			}
		}
	}
}

// tryChanges shows that changes of a row do not show in what others read, who may not see the row: for
// each PATCH that the framework itself answers, of a row that other rows refer to if there is one. Its
// texts are the first in an order before the change, and the last after it.
func (p prover) tryChanges() {
	for _, e := range p.Endpoints {
		if e.Info.Method != http.MethodPatch || !e.Fills() || e.Bulk != nil || p.Broken != nil {
			continue
		}
		for _, one := range candidates.Referred(p.Fixture, e.Resource, candidates.ToReach(p.Fixture, e)) {
			change := func(start string) bool {
				p.Start = start
				defer func() { p.Start = "" }()
				got, _ := p.Succeed(e, one.By, one)
				return got != nil && got.OK()
			}
			if change(firstStart) {
				p.compareLooks(e, one.By, one, []*fixture.Row{one}, func() bool { return change(lastStart) })
			}
		}
	}
}

// firstStart begins a text that sorts before others, and lastStart one that sorts after them.
const firstStart, lastStart = "aaa", "zzz"

// likeOf returns one of the rows that an endpoint made, of the table of its viewset if there is one;
// nil if no viewset serves one. If the request changed a row instead, it returns that row.
func (p prover) likeOf(e *exchange.Endpoint, maker *exchange.Person, fresh []*fixture.Row) (like *fixture.Row) {
	for _, one := range append(fresh, p.RowsOf(e.Resource)...) {
		switch {
		case one.Table == e.Resource.Table.Name && one.By == maker:
			return one
		case like == nil && p.Served(one) && slices.Contains(fresh, one):
			like = one
		}
	}
	return like
}

// compareLooks compares what others read before and after a function, which makes or changes a row of a
// person by an endpoint, and is false if it fails. changed are the rows that it changes.
func (p prover) compareLooks(e *exchange.Endpoint, maker *exchange.Person, like *fixture.Row, changed []*fixture.Row, change func() bool) {
	if like == nil {
		return
	}
	var looks []*Look
	for _, who := range p.People {
		if who != maker && p.Hides(who, e.Resource, like) {
			looks = append(looks, p.looks(who, like)...)
		}
	}
	if len(looks) == 0 {
		return
	}
	for _, l := range looks {
		l.was = p.look(l)
	}
	// The rows that it needs may be new too, and seen by others: the next one finds them there, at last also those that lists name.
	defer func() { p.Settled = false }()
	for round := range 3 {
		p.Settled = round > 0
		for _, l := range looks {
			l.shows = p.showsOne(l, changed)
		}
		known := slices.Clone(p.Made)
		if !change() {
			return
		}
		if p.compared(e, looks, like, append(p.MadeSince(known), changed...)) {
			return
		}
	}
}

// look reads as a person does. A failure of the server is a finding.
func (p prover) look(l *Look) *exchange.Answer {
	got := p.Send(l.e, l.r)
	if got.Status >= http.StatusInternalServerError {
		p.Find(l.e, l.r.By, got.Curl(), "it is answered %d", got.Status)
	}
	return got
}

// createAgain makes one more row, by another person of the same kind if the first one may have no other.
// If that fails too, nothing can be compared.
func (p prover) createAgain(e *exchange.Endpoint, maker *exchange.Person) bool {
	if _, ok := p.Create(e, maker); ok {
		return true
	}
	if another := p.Fresh(maker); another != nil {
		if _, ok := p.Create(e, another); ok {
			return true
		}
	}
	if e.Declared() {
		p.Skip(e, maker, "", "it makes one row and no second one, so that what others read could not be compared")
	}
	return false
}

// compared reads again after rows were made or changed, and compares. It is false if a person sees one of the
// rows, or saw it before, so that what the person reads may differ.
func (p prover) compared(e *exchange.Endpoint, looks []*Look, like *fixture.Row, fresh []*fixture.Row) bool {
	whole := true
	for _, l := range looks {
		was, now := l.was, p.look(l)
		l.was = now
		if secret := p.SecretIn(l.e, now, nil); secret != "" {
			p.Find(l.e, l.r.By, now.Curl(), "the answer has %q, which is of a row or a field that is not theirs", secret)
			continue
		}
		if l.shows || p.showsOne(l, fresh) {
			whole = false
			continue
		}
		narrowed := l.e.Resource.Table != nil && l.e.Resource.Table.Name == like.Table && !p.Sees(l.r.By, l.e.Resource, like)
		// The second function of FillsThen may change rows that others see, and their answers change rightly.
		verb := e.Resource.Declaration.Verbs.Get(e.Route.Name)
		strict := e.Declared() && verb.Then == nil && len(fresh) > 0
		if now.Plain() != was.Plain() && (strict || narrowed) && !p.varies(l, now) && p.Lasts(l.e, l.r, now) {
			p.Find(l.e, l.r.By, now.Curl(), "the answer changed after another caller's request %s %s:\n%s",
				e.Info.Method, e.Info.Path, answers.Difference(now.Plain(), "before", was.Plain()))
		}
	}
	return whole
}

// varies reports whether two answers differ although nothing changed, as those with a new secret do.
func (p prover) varies(l *Look, now *exchange.Answer) bool {
	return l.e.Endless || p.Send(l.e, l.r).Plain() != now.Plain()
}

// showsOne reports whether a person may see one of some rows in an answer.
func (p prover) showsOne(l *Look, rows []*fixture.Row) bool {
	return slices.ContainsFunc(rows, func(one *fixture.Row) bool {
		hidden := p.HiddenFrom(l.r.By, one)
		if l.e.HandsRows() {
			hidden = p.Hides(l.r.By, l.e.Resource, one)
		}
		return p.Served(one) && !hidden
	})
}
