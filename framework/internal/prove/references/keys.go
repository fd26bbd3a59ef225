package references

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
)

// tryKeys sends keys of rows that the sender may not see to a function of the program, in each place of its
// input for a UUID without the tags ref and to. The answer must be that for a key of no row.
func (p prover) tryKeys(e *exchange.Endpoint) {
	if e.Declared() && (e.Kind != declare.VerbAccepts || e.Fills()) || e.Input == nil || e.OfAuth() || p.Broken != nil {
		return
	}
	for _, who := range p.People[2:] {
		if on, usable := candidates.Own(p.Fixture, e, who); usable {
			if on != nil {
				on = candidates.Referred(p.Fixture, e.Resource, on)[0] // the function may change the rows that refer to it
			}
			p.tryKeysAs(e, who, on)
			return
		}
	}
}

// tryKeysAs sends the requests of one caller, for a row of theirs or nil for none.
func (p prover) tryKeysAs(e *exchange.Endpoint, who *exchange.Person, on *fixture.Row) {
	w := p.WriterLike(e, who, on, "")
	for name, field := range e.Input.ByName {
		if places.HoldsKeys(field.Typ) {
			delete(w.Left, "/"+name) // a key of no row may have been rejected
		}
	}
	all := func() []places.Place {
		if r, ok := p.RequestOf(e, w, on); ok { // with new texts, because one may have to be unique
			return places.Keys(e, r)
		}
		return nil
	}
	for i := range all() {
		for _, theirs := range p.hiddenFrom(who) {
			if found := all(); i < len(found) {
				p.sendKey(e, found[i], on, theirs)
			}
		}
	}
}

// A rowKind is a kind of rows of others: functions may answer otherwise for a row that is deleted softly, or to
// which rows of other tables refer, and may set a boolean that the row has already.
type rowKind struct {
	table, referring, flags string
	deleted                 bool
}

// hiddenFrom lists the newest row of each kind that no viewset shows to a person and whose key is a UUID. It leaves
// out rows whose key is in another row that the person sees: an answer may have what that row shows.
func (p prover) hiddenFrom(who *exchange.Person) (all []*fixture.Row) {
	const tries = 12 // rows of each kind
	tried, referring := map[rowKind]int{}, candidates.Referring(p.Fixture)
	for _, one := range slices.Backward(p.Made) {
		key := p.KeyOf(one)
		if one.By == who || uuid.Validate(key) != nil {
			continue
		}
		kind := rowKind{one.Table, strings.Join(referring[key], ","), p.flagsOf(one), p.Deleted(one)}
		if tried[kind] >= tries {
			continue
		}
		hidden := p.HiddenFrom(who, one) || !p.Served(one) && !p.Views.Meets(who, one)
		if tried[kind]++; hidden && !p.MayKnow(who, one, p.KeysOf(one.Table)[0], true) {
			tried[kind] = tries
			all = append(all, one)
		}
	}
	return all
}

// flagsOf returns the booleans of a row, as text.
func (p prover) flagsOf(one *fixture.Row) string {
	var flags []string
	for _, r := range p.Registry.Resources {
		if r.Table.Name != one.Table {
			continue
		}
		for _, f := range r.Table.Fields {
			if f.IndirectType.Kind() == reflect.Bool {
				flags = append(flags, one.Values[f.Name])
			}
		}
		break
	}
	return strings.Join(flags, ",")
}

// sendKey sends the key of another's row in a place, after that of no row. If the first request changed the database,
// the change may be the reason of another answer.
func (p prover) sendKey(e *exchange.Endpoint, at places.Place, on, theirs *fixture.Row) {
	key, missing := theirs.Values[p.KeysOf(theirs.Table)[0]], uuid.Must(uuid.NewV7()).String()
	r := at.With(key)
	before, hidden := p.Contents(), p.Foresee(e, r.By)
	hidden[theirs] = true
	none := p.Send(e, at.With(missing))
	changed := len(before.ChangedIn(p.Contents())) > 0
	got := p.Send(e, r)
	p.Untouched(e, got, on, before, hidden)
	same := got.Plain(key, missing) == none.Plain(key, missing)
	if !same && p.SecretIn(e, got, nil) == "" && !changed && p.byKey(e, got, none) {
		p.Find(e, r.By, got.Curl(), "with the key of another's row of %s at %s it is answered otherwise than with that of no row: "+
			"tag the field with ref, or find the row by framework.FindOne\n%s",
			theirs.Table, at.Name, answers.Difference(got.Plain(key, missing), "for "+missing, none.Plain(key, missing)))
	}
	p.Settle(e, got, before, on, nil)
}

// byKey reports whether the key of a row is the reason that an answer differs from that for a key of no row. Another
// reason may be that no two answers are the same, as those that count the requests of a caller.
func (p prover) byKey(e *exchange.Endpoint, got, none *exchange.Answer) bool {
	if e.Info.Method == http.MethodGet {
		return p.Lasts(e, got.Request, got)
	}
	return got.OK() && !none.OK() || p.Send(e, none.Request).Plain() == none.Plain()
}
