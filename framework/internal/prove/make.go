package prove

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// mostFailures is how often a create may fail before it is given up.
const mostFailures = 3

// attempts is how often a request is made again with other values until it succeeds.
const attempts = 6

// rowFor returns the newest row of a viewset that a person may name: one that they made, or else
// one that they may see. It makes one if there is none; nil if that fails.
func (p *prover) rowFor(who *person, r *table.Resource) *row {
	var seen *row
	for _, one := range p.rowsOf(r) {
		if one.by == who && p.sees(who, r, one) {
			return one
		}
		if seen == nil && p.sees(who, r, one) {
			seen = one
		}
	}
	if seen != nil {
		return seen
	}
	return p.makeRow(who, r)
}

// makeRow makes a row that a person may see: they make it, or else another person does.
func (p *prover) makeRow(who *person, r *table.Resource) *row {
	makers := append([]*person{who}, p.people[1:]...)
	for _, maker := range makers {
		for _, e := range p.makersOf(r) {
			if e.access(maker) == spec.AccessRefused || !p.mayYield(e, maker, r) {
				continue
			}
			fresh, _ := p.create(e, maker)
			for _, one := range fresh {
				if one.table == r.Table.Name && p.sees(who, r, one) {
					return one
				}
			}
		}
	}
	return nil
}

// mayYield reports whether it is not known that a person's creates at an endpoint fail, or make no
// row of a viewset.
func (p *prover) mayYield(e *endpoint, who *person, r *table.Resource) bool {
	if p.failures[attempt{e, who.at}] >= mostFailures {
		return false
	}
	return p.yields[e] == nil || p.yields[e][r.Table.Name]
}

// An attempt is a create of an endpoint by a kind of caller.
type attempt struct {
	e  *endpoint
	at int
}

// makersOf lists the endpoints that may make a row of a viewset: those that create rows of its
// table, then other endpoints that make rows, which may have it as a part.
func (p *prover) makersOf(r *table.Resource) (all []*endpoint) {
	var others []*endpoint
	for _, e := range p.endpoints {
		switch {
		case !e.makes():
		case e.Resource.Table != nil && e.Resource.Table.Name == r.Table.Name:
			all = append(all, e)
		case e.Resource.Path != "auth":
			others = append(others, e)
		}
	}
	return append(all, others...)
}

// makes reports whether the endpoint may make a row without being sent to one: a create, or the
// PUT of a single resource.
func (e *endpoint) makes() bool {
	return e.Resource.Table != nil && e.spec.Key == nil &&
		(e.info.Method == http.MethodPost || e.info.Method == http.MethodPut && e.Resource.Declaration.Single)
}

// declared reports whether an endpoint only does what the framework does for every viewset, and
// runs no function of the program, which may change rows that others see.
func (e *endpoint) declared() bool {
	return e.Kind == declare.VerbAccepts || e.Kind == declare.VerbShows || e.Kind == declare.VerbDeletes
}

// create sends the request of an endpoint that makes a row, until it succeeds. It returns the rows that
// are new, and whether the request succeeded.
func (p *prover) create(e *endpoint, who *person) ([]*row, bool) {
	if p.making[e] {
		return nil, false
	}
	p.making[e] = true
	defer delete(p.making, e)
	got, fresh := p.succeed(e, who, nil)
	if got == nil || !got.ok() {
		p.failures[attempt{e, who.at}]++
		return nil, false
	}
	delete(p.failures, attempt{e, who.at})
	if p.yields[e] == nil {
		p.yields[e] = map[string]bool{}
	}
	for _, one := range fresh {
		p.yields[e][one.table] = true
	}
	return fresh, true
}

// succeed sends the request of an endpoint for a row, nil for none, until it succeeds: with
// other values, without members that were rejected, and at last after the person's other creates,
// because a function may need rows that no declaration names. It returns the last answer, nil
// if no request could be made, and the rows that are new.
func (p *prover) succeed(e *endpoint, who *person, on *row) (got *answer, fresh []*row) {
	w := &writer{prover: p, by: who, left: map[string]bool{}, on: on}
	for n := range attempts {
		r, ok := p.requestOf(e, w, on)
		if !ok {
			return got, fresh
		}
		before, hidden := p.contents(), p.foresee(e, who)
		got = p.send(e, r)
		p.untouched(e, got, on, before, hidden)
		fresh = append(fresh, p.settle(e, got, before, on)...)
		switch {
		case got.ok():
			p.fits[e] = *w
			return got, fresh
		case e.access(who) == spec.AccessRefused, got.status == http.StatusNotFound && on != nil:
			return got, fresh
		}
		if rejected := w.adapt(e, got); n == 1 && len(p.making) < 2 && (!rejected || got.status != http.StatusBadRequest) {
			p.prepare(e, who)
		}
	}
	return got, fresh
}

// settle checks what an answer has, and returns the rows that are new after its request. They count as made by the person who made the row of the request.
func (p *prover) settle(e *endpoint, got *answer, before contents, on *row) []*row {
	after, by := p.contents(), got.by
	if on != nil {
		by = on.by
	}
	if secret := p.secretIn(e, got); secret != "" && !e.SignsIn {
		p.find(e, got.by, got.curl(), "the answer has %q, which is of a row or a field that is not theirs", secret)
	}
	p.checkLocks(e, got, on)
	fresh := p.learn(before, after, by)
	p.forget(after)
	return fresh
}

// writerLike returns a writer that leaves out what the last body of an endpoint that succeeded left
// out, except for a member at a pointer and what it is in.
func (p *prover) writerLike(e *endpoint, who *person, on *row, except string) *writer {
	w := &writer{prover: p, by: who, left: map[string]bool{}, on: on, least: p.fits[e].least, past: p.fits[e].past}
	for pointer := range p.fits[e].left {
		if except != pointer && !strings.HasPrefix(except, pointer+"/") {
			w.left[pointer] = true
		}
	}
	return w
}

// adapt changes how further bodies are made, after one was rejected. It reports whether the answer
// names members.
func (w *writer) adapt(e *endpoint, got *answer) bool {
	w.least = w.vary && got.status == http.StatusConflict
	w.vary, w.past = w.vary || got.status == http.StatusConflict, !w.past
	rejected := pointersIn(got.value())
	for _, pointer := range rejected {
		at := strings.TrimPrefix(pointer, w.wrapped(e))
		for at != "" && w.left[at] { // it was left out before, so leave out what it is in
			at = at[:max(0, strings.LastIndex(at, "/"))]
		}
		w.left[at] = true
	}
	return len(rejected) > 0
}

// wrapped is the pointer of the member around a body, "" without one.
func (w *writer) wrapped(e *endpoint) string {
	if e.BodyIn.Member == "" {
		return ""
	}
	return "/" + e.BodyIn.Member
}

// prepare runs the other creates of the same service that a person may use.
func (p *prover) prepare(e *endpoint, who *person) {
	for _, other := range p.endpoints {
		same := other.Resource.Path == e.Resource.Path
		if other == e || same != e.Resource.Declaration.Single || !other.makes() || other.spec.Service != e.spec.Service {
			continue
		}
		if other.access(who) != spec.AccessRefused && p.failures[attempt{other, who.at}] < mostFailures {
			_, _ = p.create(other, who)
		}
	}
}

// pointersIn lists the pointers of the faults of an error, and the names of wrong parameters.
func pointersIn(value any) (pointers []string) {
	switch value := value.(type) {
	case map[string]any:
		for _, place := range []string{"pointer", "parameter"} {
			if at, ok := value[place].(string); ok && at != "" {
				pointers = append(pointers, at)
			}
		}
		for _, one := range value {
			pointers = append(pointers, pointersIn(one)...)
		}
	case []any:
		for _, one := range value {
			pointers = append(pointers, pointersIn(one)...)
		}
	}
	slices.Sort(pointers)
	return slices.Compact(pointers)
}

// requestOf makes the request of an endpoint for a row, nil for none. It is false if a row that
// the path names cannot be made.
func (p *prover) requestOf(e *endpoint, w *writer, on *row) (request, bool) {
	path, ok := p.pathOf(e, w.by, on)
	r := request{method: e.info.Method, path: path, by: w.by, header: http.Header{}}
	if up := e.spec.Upload; up != nil {
		var kind string
		r.body, kind = fileOf(up.Types)
		r.header.Set("Content-Type", kind)
		return r, ok
	}
	if r.method == http.MethodGet {
		r.query = w.query(e).Encode()
	} else {
		r.body = w.body(e)
	}
	return r, ok
}

// fileOf returns a small file of one of some media types, and its type.
func fileOf(types []string) (content []byte, kind string) {
	if len(types) == 0 {
		return []byte("0123456789"), "application/octet-stream"
	}
	kind = types[0]
	var file bytes.Buffer
	dot := image.NewGray(image.Rect(0, 0, 1, 1))
	switch kind { // a write to a bytes.Buffer does not fail
	case "image/png", "image/*":
		kind = "image/png"
		_ = png.Encode(&file, dot)
	case "image/jpeg":
		_ = jpeg.Encode(&file, dot, nil)
	case "image/gif":
		_ = gif.Encode(&file, dot, nil)
	case "application/pdf":
		file.WriteString("%PDF-1.4\n%%EOF\n")
	case "application/json":
		file.WriteString("{}")
	default:
		kind = strings.ReplaceAll(kind, "*", "plain")
		file.WriteString("0123456789")
	}
	return file.Bytes(), kind
}

// pathOf is the path of an endpoint for a row.
func (p *prover) pathOf(e *endpoint, who *person, on *row) (string, bool) {
	path := e.info.Path
	if e.spec.Key != nil {
		if on == nil {
			return "", false
		}
		path = strings.ReplaceAll(path, "{"+e.spec.Key.Name+"}", escape(on.key(e.Resource)))
	}
	if e.Resource.Above != nil {
		keys, ok := p.keysAbove(e.Resource, who, on)
		if !ok {
			return "", false
		}
		for i, key := range e.spec.Above {
			path = strings.Replace(path, "{"+key.Name+"}", escape(keys[i]), 1)
		}
	}
	if e.spec.Other != nil {
		path = strings.ReplaceAll(path, "{"+e.spec.Other.Name+"}", escape(p.otherKey(e)))
	}
	return path, true
}

// otherKey returns the second key of a path: that of a row of the table which is named like the
// action, or else one of no row.
func (p *prover) otherKey(e *endpoint) string {
	for _, one := range slices.Backward(p.made) {
		if key := one.values[e.OtherKey.Name]; key != "" && naming.Singular(one.table) == naming.Singular(e.Route.Name) {
			return key
		}
	}
	return "1"
}

// keysAbove lists the keys of the rows above a row of a nested viewset, the highest first. For no
// row, it is those of a row above that the person may see.
func (p *prover) keysAbove(r *table.Resource, who *person, on *row) ([]string, bool) {
	if r.Above == nil {
		return nil, true
	}
	parent := r.Above.Parent
	var above *row
	if on == nil {
		above = p.rowFor(who, parent)
	} else {
		for _, one := range p.rowsOf(parent) {
			if one.values[parent.Pk.Name] == on.values[r.Above.Column.Name] {
				above = one
			}
		}
	}
	if above == nil {
		return nil, false
	}
	keys, ok := p.keysAbove(parent, who, above)
	return append(keys, above.key(parent)), ok
}
