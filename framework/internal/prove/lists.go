package prove

import (
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"trestle.example/framework/internal/fieldrule"
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
		if !e.makes() || e.Resource.Path == "auth" || p.broken != nil {
			continue
		}
		for range 2 { // so that the lists of the others have more rows than a page
			_, _ = p.create(e, p.people[2])
		}
		for _, maker := range p.people[1:] {
			if e.access(maker) == spec.AccessRefused {
				continue
			}
			if fresh, ok := p.create(e, maker); ok {
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
	for _, e := range p.endpoints {
		if e.info.Method != http.MethodPatch || !e.fills() || p.broken != nil {
			continue
		}
		for _, one := range p.referred(e.Resource, p.rowToReach(e)) {
			change := func(start string) bool {
				p.start = start
				defer func() { p.start = "" }()
				got, _ := p.succeed(e, one.by, one)
				return got != nil && got.ok()
			}
			if change(firstStart) {
				p.compareLooks(e, one.by, one, []*row{one}, func() bool { return change(lastStart) })
			}
		}
	}
}

// firstStart begins a text that sorts before others, and lastStart one that sorts after them.
const firstStart, lastStart = "aaa", "zzz"

// referred lists rows of a viewset like one, by the same person: for each table whose rows refer to such a
// row, the newest. It is one itself if there is none, and empty for nil.
func (p *prover) referred(r *table.Resource, one *row) (all []*row) {
	if one == nil {
		return nil
	}
	keys, from := p.keysOf(one.table), map[string]bool{}
	for _, like := range p.rowsOf(r) {
		if like.by == one.by && len(keys) == 1 && p.addReferring(from, like, like.values[keys[0]]) {
			all = append(all, like)
		}
	}
	if all == nil {
		all = []*row{one}
	}
	return all
}

// addReferring adds the other tables that have a row which refers to a row by its key, and reports whether
// one is new.
func (p *prover) addReferring(tables map[string]bool, to *row, key string) (added bool) {
	for _, other := range p.made {
		if !tables[other.table] && other.table != to.table && other.refersTo(key) {
			tables[other.table], added = true, true
		}
	}
	return added
}

// likeOf returns one of the rows that an endpoint made, of the table of its viewset if there is one;
// nil if no viewset serves one. If the request changed a row instead, it returns that row.
func (p *prover) likeOf(e *endpoint, maker *person, fresh []*row) (like *row) {
	for _, one := range append(fresh, p.rowsOf(e.Resource)...) {
		switch {
		case one.table == e.Resource.Table.Name && one.by == maker:
			return one
		case like == nil && p.served(one) && slices.Contains(fresh, one):
			like = one
		}
	}
	return like
}

// compareLooks compares what others read before and after a function, which makes or changes a row of a
// person by an endpoint, and is false if it fails. changed are the rows that it changes.
func (p *prover) compareLooks(e *endpoint, maker *person, like *row, changed []*row, change func() bool) {
	if like == nil {
		return
	}
	var looks []*look
	for _, who := range p.others(maker) {
		if p.hides(who, e.Resource, like) {
			looks = append(looks, p.looks(who, like)...)
		}
	}
	if len(looks) == 0 {
		return
	}
	// The rows that it needs may be new too, and seen by others: the next one finds them there.
	for range 2 {
		for _, l := range looks {
			l.was = p.send(l.e, l.r)
			l.varies = p.send(l.e, l.r).plain() != l.was.plain() || l.e.endless
		}
		known := slices.Clone(p.made)
		if !change() {
			return
		}
		fresh := slices.DeleteFunc(slices.Clone(p.made), func(one *row) bool { return slices.Contains(known, one) })
		if p.compared(e, looks, like, append(fresh, changed...)) {
			return
		}
	}
}

// createAgain makes one more row, by another person of the same kind if the first one may have no other.
// If that fails too, nothing can be compared.
func (p *prover) createAgain(e *endpoint, maker *person) bool {
	if _, ok := p.create(e, maker); ok {
		return true
	}
	if another := p.fresh(maker); another != nil {
		if _, ok := p.create(e, another); ok {
			return true
		}
	}
	if e.declared() {
		p.skip(e, maker, "", "it makes one row and no second one, so that what others read could not be compared")
	}
	return false
}

// compared reads again after rows were made or changed, and compares. It is false if a person sees one of the
// rows, so that what the person reads may differ.
func (p *prover) compared(e *endpoint, looks []*look, like *row, fresh []*row) bool {
	whole := true
	for _, l := range looks {
		now := p.send(l.e, l.r)
		if secret := p.secretIn(l.e, now); secret != "" {
			p.find(l.e, l.r.by, now.curl(), "the answer has %q, which is of a row or a field that is not theirs", secret)
			continue
		}
		if p.showsOne(l, fresh) {
			whole = false
			continue
		}
		narrowed := l.e.Resource.Table != nil && l.e.Resource.Table.Name == like.table && !p.sees(l.r.by, l.e.Resource, like)
		// The second function of FillsThen may change rows that others see, and their answers change rightly.
		verb := e.Resource.Declaration.Verbs.Get(e.Route.Name)
		strict := e.declared() && verb.Then == nil && len(fresh) > 0
		if !l.varies && now.plain() != l.was.plain() && (strict || narrowed) && p.lasts(l, now) {
			p.find(l.e, l.r.by, now.curl(), "the answer changed after another caller's request %s %s:\n%s",
				e.info.Method, e.info.Path, difference(now.plain(), "before", l.was.plain()))
		}
	}
	return whole
}

// lasts reports whether an answer stays the same for a second. One that has the time does not. Each
// endpoint is tried once.
func (p *prover) lasts(l *look, now *answer) bool {
	if !l.e.steady && !l.e.timed {
		select {
		case <-p.ctx.Done():
		case <-time.After(1100 * time.Millisecond):
		}
		l.e.steady = p.send(l.e, l.r).plain() == now.plain()
		l.e.timed = !l.e.steady
	}
	return l.e.steady
}

// showsOne reports whether a person may see one of some rows in an answer.
func (p *prover) showsOne(l *look, rows []*row) bool {
	return slices.ContainsFunc(rows, func(one *row) bool {
		hidden := p.hiddenFrom(l.r.by, one)
		if l.e.HandsRows() {
			hidden = p.hides(l.r.by, l.e.Resource, one)
		}
		return p.served(one) && !hidden
	})
}

// secretIn returns a text in an answer to a person that is of a row, or of a field, which no viewset
// shows to the person: the key of a row, or a random text of a body. The framework itself does not
// show a row that is deleted softly.
func (p *prover) secretIn(e *endpoint, got *answer) (secret string) {
	if !got.ok() {
		return ""
	}
	sent := got.path + got.query + string(got.body)
	for _, one := range p.made {
		deleted := e.declared() && p.deleted(one)
		if one.by == got.by && !deleted {
			continue
		}
		for column, value := range one.values {
			if (secret == "" || value < secret) && p.identifies(one, column, value) && strings.Contains(got.text, value) &&
				!strings.Contains(sent, value) && p.served(one) && !p.mayKnow(got.by, one, column, deleted) {
				secret = value
			}
		}
	}
	return secret
}

// identifies reports whether a value is of one row alone: its key, or a text of its body.
func (p *prover) identifies(one *row, column, value string) bool {
	keys := p.keysOf(one.table)
	return len(value) >= telling && (len(keys) == 1 && keys[0] == column || p.words[strings.TrimSuffix(value, mailDomain)])
}

// mayKnow reports whether a person may know a value of a row: a viewset shows it, unless the row is
// deleted, or it is also in another row that the person sees.
func (p *prover) mayKnow(who *person, of *row, column string, deleted bool) bool {
	for _, r := range p.registry.Resources {
		if !deleted && r.Table.Name == of.table && p.sees(who, r, of) && !p.masked(who, r, column) {
			return true
		}
	}
	value := of.values[column]
	for _, one := range p.made {
		for name, text := range one.values {
			same := text == value && (one != of || name != column)
			if same && text != "" && p.mayMeet(who, one) && !p.maskedIn(who, one, name) {
				return true
			}
		}
	}
	return false
}

// mayMeet reports whether a person may see a row: by a viewset or, if none serves its table, as a part
// of a row to which it refers.
func (p *prover) mayMeet(who *person, one *row) bool {
	if p.served(one) {
		return !p.hiddenFrom(who, one)
	}
	return slices.ContainsFunc(p.made, func(whole *row) bool {
		keys := p.keysOf(whole.table)
		if len(keys) != 1 || !p.served(whole) {
			return false
		}
		for _, value := range one.values {
			if value != "" && value == whole.values[keys[0]] && !p.hiddenFrom(who, whole) {
				return true
			}
		}
		return false
	})
}

// masked reports whether a rule of a viewset hides a column from a person.
func (p *prover) masked(who *person, r *table.Resource, column string) bool {
	field := r.Table.FieldMap[column]
	if field == nil {
		return false
	}
	c := p.callOf(who, listing(r))
	return slices.ContainsFunc(r.Fields.Seeing(r.FieldOf(column, field)), func(rule *fieldrule.Rule) bool { return !rule.Permission.Permit(c) })
}

// maskedIn reports whether rules hide a column of a row in each viewset that shows the row.
func (p *prover) maskedIn(who *person, one *row, column string) bool {
	masked := false
	for _, r := range p.registry.Resources {
		if r.Table.Name != one.table || !p.sees(who, r, one) {
			continue
		}
		if !p.masked(who, r, column) {
			return false
		}
		masked = true
	}
	return masked
}

// looks lists the ways in which a person reads: each GET, of a row that they may see if it names
// one, with each order, and each parameter with values of a row that the person may not see. A list is
// also read with pages of one row, because the server counts the rows of a longer list in another way.
func (p *prover) looks(who *person, hidden *row) (all []*look) {
	for _, e := range p.endpoints {
		if e.info.Method != http.MethodGet || e.access(who) == spec.AccessRefused || e.endless {
			continue
		}
		path, ok := p.pathOf(e, who, p.seenBy(who, e, hidden))
		if !ok {
			continue
		}
		required := (&writer{Fixture: p.Fixture, by: who}).query(e)
		add := func(query url.Values, small bool) {
			all = append(all, &look{e: e, r: request{method: http.MethodGet, path: path, query: query.Encode(), by: who, small: small}})
		}
		add(required, false)
		if e.Pagination != nil {
			add(required, true)
		}
		for _, param := range e.spec.Params {
			for _, value := range valuesFor(param, searches(e, param), hidden) {
				query := maps.Clone(required)
				query.Set(param.Name, value)
				add(query, strings.HasPrefix(value, "-")) // the other direction of the order has all rows
			}
		}
	}
	return all
}

// seenBy returns a row that a person may have at an endpoint. For an endpoint of no row it is nil,
// but for one below a row it is the hidden row, if the person sees the row above.
func (p *prover) seenBy(who *person, e *endpoint, hidden *row) *row {
	if e.spec.Key == nil {
		if above := e.Resource.Above; above != nil && e.Resource.Table.Name == hidden.table && p.seesAt(who, above.Parent, hidden.values[above.Column.Name]) {
			return hidden
		}
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

// searches reports whether a parameter searches texts.
func searches(e *endpoint, param spec.Param) bool {
	return param.Name == "q" || e.Resource.Search != nil && param.Name == e.Resource.Search.Parameter().Name
}

// valuesFor lists the values to try for a parameter: each of its enum, or else values of a row.
func valuesFor(param spec.Param, searches bool, one *row) (values []string) {
	if len(param.Enum) > 0 {
		return param.Enum[:min(len(param.Enum), mostValues)]
	}
	if param.Type != nil && param.Type.Kind() == reflect.Bool {
		return []string{"true", "false"} // a column may have 1 and 0
	}
	name := plainName(param.Name)
	for _, column := range slices.Sorted(maps.Keys(one.values)) {
		value, plain := one.values[column], plainName(column)
		named := plain == name || plain == name+"id" || len(plain) > 2 && strings.Contains(name, plain)
		if value != "" && (named || searches && len(value) > 5 && strings.Trim(value, letters) == "") && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values[:min(len(values), mostValues)]
}

// plainName is a name of a column or a parameter in small letters alone: that of "createdAt" and of
// "created_at" is "createdat".
func plainName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}
