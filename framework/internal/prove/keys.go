package prove

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// tryKeys sends keys of rows that the sender may not see to a function of the program, in each place of its
// input for a UUID without the tags ref and to. The answer must be that for a key of no row.
func (p *prover) tryKeys(e *fixture.Endpoint) {
	if e.Declared() && (e.Kind != declare.VerbAccepts || e.Fills()) || e.Input == nil || e.OfAuth() || p.Broken != nil {
		return
	}
	for _, who := range p.People[2:] {
		var on *fixture.Row
		if e.Access(who) != spec.AccessRefused && e.Spec.Key != nil {
			on = p.RowFor(who, e.Resource)
		}
		if e.Access(who) != spec.AccessRefused && (e.Spec.Key == nil || on != nil && on.By == who && p.Permits(e, who, on)) {
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
	r, ok := p.RequestOf(e, w, on)
	if !ok {
		return
	}
	for _, at := range placesIn(e, r) {
		for _, theirs := range p.hiddenFrom(who) {
			p.sendKey(e, at, on, theirs)
		}
	}
}

// hiddenFrom lists the newest row of each table that no viewset shows to a person and whose key is a UUID.
func (p *prover) hiddenFrom(who *fixture.Person) (all []*fixture.Row) {
	seen := map[string]bool{}
	for _, one := range slices.Backward(p.Made) {
		key := p.KeysOf(one.Table)
		if seen[one.Table] || len(key) != 1 || uuid.Validate(one.Values[key[0]]) != nil || p.Deleted(one) || !p.HiddenFrom(who, one) {
			continue
		}
		seen[one.Table] = true
		all = append(all, one)
	}
	return all
}

// A place is one of a request that has the key of a row.
type place struct {
	name string
	with func(key string) fixture.Request
}

// sendKey sends the key of another's row in a place, after that of no row.
func (p *prover) sendKey(e *fixture.Endpoint, at place, on, theirs *fixture.Row) {
	key, missing := theirs.Values[p.KeysOf(theirs.Table)[0]], uuid.Must(uuid.NewV7()).String()
	r := at.with(key)
	before, hidden := p.Contents(), p.foresee(e, r.By)
	hidden[theirs] = true
	none, got := p.Send(e, at.with(missing)), p.Send(e, r)
	p.untouched(e, got, on, before, hidden)
	// If the first request succeeded, its change may be the reason of another answer.
	reads := e.Info.Method == http.MethodGet
	same := got.Plain(key, missing) == none.Plain(key, missing) || none.OK() && !reads
	if !same && p.secretIn(e, got) == "" && (!reads || p.lasts(&look{e: e, r: r}, got)) {
		p.find(e, r.By, got.Curl(), "with the key of another's row of %s at %s it is answered otherwise than with that of no row:\n%s",
			theirs.Table, at.name, difference(got.Plain(key, missing), "for "+missing, none.Plain(key, missing)))
	}
	p.settle(e, got, before, on)
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
		for name, member := range value {
			if shape == nil || shape.ByName[name] == nil || shape.ByName[name].Ref+shape.ByName[name].To != "" {
				continue
			}
			all = append(all, keysIn(member, shape.ByName[name].Nested, at+"/"+name)...)
		}
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
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
