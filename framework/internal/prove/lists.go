package prove

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// A look is one way to read, and what a person last got from it.
type look struct {
	e   *fixture.Endpoint
	r   fixture.Request
	was *fixture.Answer
	// shows: the person saw one of the rows that change.
	shows bool
}

// tryLists shows that rows of one caller do not show in what others read. For each endpoint that
// makes a row: the owner makes one, the others read all that they may, the owner makes another one
// with the same values, and the others read again. What they read must not change, unless they may
// see the row.
func (p *prover) tryLists() {
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
func (p *prover) tryChanges() {
	for _, e := range p.Endpoints {
		if e.Info.Method != http.MethodPatch || !e.Fills() || e.Bulk != nil || p.Broken != nil {
			continue
		}
		for _, one := range p.referred(e.Resource, p.rowToReach(e)) {
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

// referred lists rows of a viewset like one, by the same person: for each table whose rows refer to such a
// row, the newest. It is one itself if there is none, and empty for nil.
func (p *prover) referred(r *table.Resource, one *fixture.Row) (all []*fixture.Row) {
	if one == nil {
		return nil
	}
	all = p.referredOf(r, one.By, map[string]bool{})
	if all == nil {
		all = []*fixture.Row{one}
	}
	return all
}

// referredOfAll lists rows of a viewset by any person: for each table whose rows refer to such a row, the newest of the first person
// with one. It begins with the rows of one person.
func (p *prover) referredOfAll(r *table.Resource, first *fixture.Person) (all []*fixture.Row) {
	from := map[string]bool{}
	for _, who := range append([]*fixture.Person{first}, p.People...) {
		all = append(all, p.referredOf(r, who, from)...)
	}
	return all
}

// referredOf lists the rows of a viewset by a person to which a row of a table refers that is not among some tables, and adds the table.
func (p *prover) referredOf(r *table.Resource, who *fixture.Person, from map[string]bool) (all []*fixture.Row) {
	for _, like := range p.RowsOf(r) {
		if key := p.KeyOf(like); key != "" && like.By == who && p.Sees(who, r, like) && p.addReferring(from, like, key) {
			all = append(all, like)
		}
	}
	return all
}

// addReferring adds the other tables that have a row which refers to a row by its key, and reports whether
// one is new.
func (p *prover) addReferring(tables map[string]bool, to *fixture.Row, key string) (added bool) {
	for _, other := range p.Made {
		if !tables[other.Table] && other.Table != to.Table && other.RefersTo(key) {
			tables[other.Table], added = true, true
		}
	}
	return added
}

// likeOf returns one of the rows that an endpoint made, of the table of its viewset if there is one;
// nil if no viewset serves one. If the request changed a row instead, it returns that row.
func (p *prover) likeOf(e *fixture.Endpoint, maker *fixture.Person, fresh []*fixture.Row) (like *fixture.Row) {
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
func (p *prover) compareLooks(e *fixture.Endpoint, maker *fixture.Person, like *fixture.Row, changed []*fixture.Row, change func() bool) {
	if like == nil {
		return
	}
	var looks []*look
	for _, who := range p.Others(maker) {
		if p.Hides(who, e.Resource, like) {
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
		if p.compared(e, looks, like, append(p.newSince(known), changed...)) {
			return
		}
	}
}

// look reads as a person does. A failure of the server is a finding.
func (p *prover) look(l *look) *fixture.Answer {
	got := p.Send(l.e, l.r)
	if got.Status >= http.StatusInternalServerError {
		p.find(l.e, l.r.By, got.Curl(), "it is answered %d", got.Status)
	}
	return got
}

// newSince lists the rows that were made since some rows were known.
func (p *prover) newSince(known []*fixture.Row) []*fixture.Row {
	return slices.DeleteFunc(slices.Clone(p.Made), func(one *fixture.Row) bool { return slices.Contains(known, one) })
}

// createAgain makes one more row, by another person of the same kind if the first one may have no other.
// If that fails too, nothing can be compared.
func (p *prover) createAgain(e *fixture.Endpoint, maker *fixture.Person) bool {
	if _, ok := p.Create(e, maker); ok {
		return true
	}
	if another := p.Fresh(maker); another != nil {
		if _, ok := p.Create(e, another); ok {
			return true
		}
	}
	if e.Declared() {
		p.skip(e, maker, "", "it makes one row and no second one, so that what others read could not be compared")
	}
	return false
}

// compared reads again after rows were made or changed, and compares. It is false if a person sees one of the
// rows, or saw it before, so that what the person reads may differ.
func (p *prover) compared(e *fixture.Endpoint, looks []*look, like *fixture.Row, fresh []*fixture.Row) bool {
	whole := true
	for _, l := range looks {
		was, now := l.was, p.look(l)
		l.was = now
		if secret := p.secretIn(l.e, now, nil); secret != "" {
			p.find(l.e, l.r.By, now.Curl(), "the answer has %q, which is of a row or a field that is not theirs", secret)
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
		if now.Plain() != was.Plain() && (strict || narrowed) && !p.varies(l, now) && p.lasts(l, now) {
			p.find(l.e, l.r.By, now.Curl(), "the answer changed after another caller's request %s %s:\n%s",
				e.Info.Method, e.Info.Path, answers.Difference(now.Plain(), "before", was.Plain()))
		}
	}
	return whole
}

// varies reports whether two answers differ although nothing changed, as those with a new secret do.
func (p *prover) varies(l *look, now *fixture.Answer) bool {
	return l.e.Endless || p.Send(l.e, l.r).Plain() != now.Plain()
}

// lasts reports whether an answer stays the same for a second. One that has the time does not. Each
// endpoint is tried once.
func (p *prover) lasts(l *look, now *fixture.Answer) bool {
	if !l.e.Steady && !l.e.Timed {
		select {
		case <-p.Ctx.Done():
		case <-time.After(1100 * time.Millisecond):
		}
		l.e.Steady = p.Send(l.e, l.r).Plain() == now.Plain()
		l.e.Timed = !l.e.Steady
	}
	return l.e.Steady
}

// showsOne reports whether a person may see one of some rows in an answer.
func (p *prover) showsOne(l *look, rows []*fixture.Row) bool {
	return slices.ContainsFunc(rows, func(one *fixture.Row) bool {
		hidden := p.HiddenFrom(l.r.By, one)
		if l.e.HandsRows() {
			hidden = p.Hides(l.r.By, l.e.Resource, one)
		}
		return p.Served(one) && !hidden
	})
}

// secretIn returns a text in an answer to a person that is of a row, or of a field, which no viewset
// shows to the person: the key of a row, or a random text of a body. The framework itself does not
// show a row that is deleted softly. A known text is no secret.
func (p *prover) secretIn(e *fixture.Endpoint, got *fixture.Answer, known map[string]bool) (secret string) {
	text := got.Text + got.Headers()
	for _, one := range p.Made {
		for _, cell := range p.Telling(one) {
			if (secret == "" || cell.Value < secret) && strings.Contains(text, cell.Value) && !known[cell.Value] && p.isSecret(e, got, one, cell) {
				secret = cell.Value
			}
		}
	}
	return secret
}

// isSecret reports whether the sender of an answer may not know a cell of a row that the answer has.
func (p *prover) isSecret(e *fixture.Endpoint, got *fixture.Answer, one *fixture.Row, cell fixture.Cell) bool {
	deleted := e.Declared() && p.Deleted(one) && !p.seesErased(e, got.Request)
	return (one.By != got.By || deleted) && !got.Has(cell.Value) && p.Served(one) && !p.mayKnow(got.By, one, cell.Column, deleted)
}

// mayKnow reports whether a person may know a value of a row: a viewset shows the row and the column, unless the row is
// deleted, the person has sent it, or it is also in another row that the person sees.
func (p *prover) mayKnow(who *fixture.Person, of *fixture.Row, column string, deleted bool) bool {
	if !deleted && p.views.Show(who, of, column) {
		return true
	}
	value := of.Values[column]
	if p.moved[movedText{who, value}] {
		return true
	}
	for _, one := range p.Made {
		for name, text := range one.Values {
			same := text == value && (one != of || name != column)
			if same && text != "" && p.views.Meets(who, one) && !p.views.Mask(who, one, name) {
				return true
			}
		}
	}
	return false
}

// looks lists the ways in which a person reads: each GET, of a row that they may see if it names
// one, with each order, and each parameter with values of a row that the person may not see. A list is
// also read with pages of one row, because the server counts the rows of a longer list in another way.
func (p *prover) looks(who *fixture.Person, hidden *fixture.Row) (all []*look) {
	for _, e := range p.Endpoints {
		if e.Info.Method != http.MethodGet || e.Access(who) == spec.AccessRefused || e.Endless {
			continue
		}
		path, ok := p.PathOf(e, who, p.seenBy(who, e, hidden))
		if !ok {
			continue
		}
		required := (&fixture.Writer{Fixture: p.Fixture, By: who}).Query(e)
		add := func(query url.Values, small bool) {
			all = append(all, &look{e: e, r: fixture.Request{Method: http.MethodGet, Path: path, Query: query.Encode(), By: who, Small: small}})
		}
		add(required, false)
		if e.Pagination != nil {
			add(required, true)
		}
		for _, param := range e.Spec.Params {
			for _, value := range valuesFor(e, param, hidden, p.KeysOf(hidden.Table)) {
				query := maps.Clone(required)
				query.Set(param.Name, value)
				add(query, strings.HasPrefix(value, "-")) // the other direction of the order has all rows
			}
		}
	}
	return all
}

// valuesFor lists the values of a parameter that a person tries to find a hidden row: none for that of deleted rows, which tryErased sends.
func valuesFor(e *fixture.Endpoint, param spec.Param, hidden *fixture.Row, keys []string) []string {
	if e.Deleted != nil && param.Name == table.ParamDeleted {
		return nil
	}
	return places.ValuesFor(param, searches(e, param), hidden, keys)
}

// seenBy returns a row that a person may have at an endpoint. For an endpoint of no row it is nil,
// but for one below a row it is the hidden row, if the person sees the row above.
func (p *prover) seenBy(who *fixture.Person, e *fixture.Endpoint, hidden *fixture.Row) *fixture.Row {
	if e.Spec.Key == nil {
		if above := e.Resource.Above; above != nil && e.Resource.Table.Name == hidden.Table && p.SeesAt(who, above.Parent, hidden.Values[above.Column.Name]) {
			return hidden
		}
		return nil
	}
	for _, one := range p.RowsOf(e.Resource) {
		if p.Has(who, e, one) {
			return one
		}
	}
	return nil
}

// searches reports whether a parameter searches texts.
func searches(e *fixture.Endpoint, param spec.Param) bool {
	return param.Name == "q" || e.Resource.Search != nil && param.Name == e.Resource.Search.Parameter().Name
}
