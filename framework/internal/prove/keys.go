package prove

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/prove/fixture"
)

// tryKeys sends keys of rows that the sender may not see to a function of the program, in each place of its
// input for a UUID without the tags ref and to. The answer must be that for a key of no row.
func (p *prover) tryKeys(e *fixture.Endpoint) {
	if e.Declared() && (e.Kind != declare.VerbAccepts || e.Fills()) || e.Input == nil || e.OfAuth() || p.Broken != nil {
		return
	}
	for _, who := range p.People[2:] {
		if on, usable := p.ownRow(e, who); usable {
			p.tryKeysAs(e, who, on)
			return
		}
	}
}

// tryKeysAs sends the requests of one caller, for a row of theirs or nil for none.
func (p *prover) tryKeysAs(e *fixture.Endpoint, who *fixture.Person, on *fixture.Row) {
	w := p.WriterLike(e, who, on, "")
	for name, field := range e.Input.ByName {
		if holdsKeys(field.Typ) {
			delete(w.Left, "/"+name) // a key of no row may have been rejected
		}
	}
	places := func() []place {
		if r, ok := p.RequestOf(e, w, on); ok { // with new texts, because one may have to be unique
			return placesIn(e, r)
		}
		return nil
	}
	for i := range places() {
		for _, theirs := range p.hiddenFrom(who) {
			if all := places(); i < len(all) {
				p.sendKey(e, all[i], on, theirs)
			}
		}
	}
}

// A rowKind is a kind of rows of others: functions may answer otherwise for a row that is deleted softly, or to
// which rows of other tables refer.
type rowKind struct {
	table, referring string
	deleted          bool
}

// hiddenFrom lists the newest row of each kind that no viewset shows to a person and whose key is a UUID. It leaves
// out rows whose key is in another row that the person sees: an answer may have what that row shows.
func (p *prover) hiddenFrom(who *fixture.Person) (all []*fixture.Row) {
	const tries = 12 // rows of each kind
	tried, referring := map[rowKind]int{}, p.referring()
	for _, one := range slices.Backward(p.Made) {
		keys := p.KeysOf(one.Table)
		if one.By == who || len(keys) != 1 || uuid.Validate(one.Values[keys[0]]) != nil {
			continue
		}
		key := one.Values[keys[0]]
		kind := rowKind{one.Table, strings.Join(referring[key], ","), p.Deleted(one)}
		if tried[kind] >= tries {
			continue
		}
		if tried[kind]++; p.HiddenFrom(who, one) && !p.mayKnow(who, one, keys[0], true) {
			tried[kind] = tries
			all = append(all, one)
		}
	}
	return all
}

// referring lists the tables that have a value, except for those whose key it is.
func (p *prover) referring() map[string][]string {
	tables := map[string][]string{}
	for _, one := range p.Made {
		for column, value := range one.Values {
			if at, known := slices.BinarySearch(tables[value], one.Table); !known && !slices.Contains(p.KeysOf(one.Table), column) {
				tables[value] = slices.Insert(tables[value], at, one.Table)
			}
		}
	}
	return tables
}

// A place is one of a request that has the key of a row.
type place struct {
	name string
	with func(key string) fixture.Request
}

// sendKey sends the key of another's row in a place, after that of no row. If the first request changed the database,
// the change may be the reason of another answer.
func (p *prover) sendKey(e *fixture.Endpoint, at place, on, theirs *fixture.Row) {
	key, missing := theirs.Values[p.KeysOf(theirs.Table)[0]], uuid.Must(uuid.NewV7()).String()
	r := at.with(key)
	before, hidden := p.Contents(), p.foresee(e, r.By)
	hidden[theirs] = true
	none := p.Send(e, at.with(missing))
	changed := len(before.ChangedIn(p.Contents())) > 0
	got := p.Send(e, r)
	p.untouched(e, got, on, before, hidden)
	same := got.Plain(key, missing) == none.Plain(key, missing)
	if !same && p.secretIn(e, got) == "" && !changed && p.byKey(e, got, none) {
		p.find(e, r.By, got.Curl(), "with the key of another's row of %s at %s it is answered otherwise than with that of no row: "+
			"tag the field with ref, or find the row by framework.FindOne\n%s",
			theirs.Table, at.name, difference(got.Plain(key, missing), "for "+missing, none.Plain(key, missing)))
	}
	p.settle(e, got, before, on)
}

// byKey reports whether the key of a row is the reason that an answer differs from that for a key of no row. Another
// reason may be that no two answers are the same, as those that count the requests of a caller.
func (p *prover) byKey(e *fixture.Endpoint, got, none *fixture.Answer) bool {
	if e.Info.Method == http.MethodGet {
		return p.lasts(&look{e: e, r: got.Request}, got)
	}
	return got.OK() && !none.OK() || p.Send(e, none.Request).Plain() == none.Plain()
}

// placesIn lists the places of a request for a UUID that no tag says the viewset of.
func placesIn(e *fixture.Endpoint, r fixture.Request) (all []place) {
	if r.Method == http.MethodGet {
		return parametersIn(e, r)
	}
	var body any
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	if object, ok := body.(map[string]any); ok && e.BodyIn.Member != "" {
		body = object[e.BodyIn.Member]
	}
	for _, found := range keysIn(body, e.Input, "") {
		all = append(all, place{found[0], func(key string) fixture.Request {
			changed := r
			changed.Body = []byte(fixture.Mask(string(r.Body), found[1], key))
			return changed
		}})
	}
	return all
}

// keysIn lists the UUIDs of a body that no tag says the viewset of, each with its pointer before it.
func keysIn(value any, shape *input.Shape, at string) (all [][2]string) {
	switch value := value.(type) {
	case string:
		if uuid.Validate(value) == nil {
			return [][2]string{{at, value}}
		}
	case []any:
		for _, item := range value {
			all = append(all, keysIn(item, shape, at+"/0")...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if shape == nil || shape.ByName[name] == nil || shape.ByName[name].Ref+shape.ByName[name].To != "" {
				continue
			}
			all = append(all, keysIn(value[name], shape.ByName[name].Nested, at+"/"+name)...)
		}
	}
	return all
}

// parametersIn lists the parameters of a function that are UUIDs without the tag ref.
func parametersIn(e *fixture.Endpoint, r fixture.Request) (all []place) {
	for _, param := range e.Spec.Params {
		if param.Field == nil || param.Field.Ref != "" || !holdsKeys(param.Type) {
			continue
		}
		all = append(all, place{"the parameter " + param.Name, func(key string) fixture.Request {
			query, _ := url.ParseQuery(r.Query) // the prover made it
			query.Set(param.Name, key)
			changed := r
			changed.Query = query.Encode()
			return changed
		}})
	}
	return all
}

// holdsKeys reports whether a field is a UUID or a list of UUIDs.
func holdsKeys(t reflect.Type) bool {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	return t == reflect.TypeFor[uuid.UUID]()
}
