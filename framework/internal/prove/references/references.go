package references

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/prove/sample"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// tryReferences sends bodies that name rows of others: the answer must be that for a row that
// does not exist.
func (p prover) tryReferences(e *exchange.Endpoint, on *fixture.Row) {
	if e.Input == nil || len(e.Input.Refs())+len(e.Input.Setting()) == 0 || e.Info.Method == http.MethodGet {
		return
	}
	for _, pointer := range p.referencesOf(e, on) {
		for _, who := range append(slices.Clone(p.People[2:]), p.Owner) {
			if e.Access(who) != spec.AccessRefused && (on == nil || p.Has(who, e, on)) && p.tryReference(e, who, on, pointer) {
				break
			}
		}
	}
}

// referencesOf lists the pointers of the references that a body of an endpoint has.
func (p prover) referencesOf(e *exchange.Endpoint, on *fixture.Row) []string {
	w := &fixture.Writer{Fixture: p.Fixture, By: p.People[2], Left: map[string]bool{}, Used: map[string]fixture.Reference{}, On: on}
	w.Body(e)
	return slices.Sorted(maps.Keys(w.Used))
}

// tryReference sends a body with a reference to a row that the person may not see, also in other forms. It reports
// whether there is one.
func (p prover) tryReference(e *exchange.Endpoint, who *exchange.Person, on *fixture.Row, pointer string) bool {
	w := p.WriterLike(e, who, on, pointer)
	w.Two = takesTwo(e)
	w.Used = map[string]fixture.Reference{}
	w.Body(e)
	ref := w.Used[pointer]
	theirs := p.rowBehind(e, who, on, pointer, ref)
	if theirs == nil {
		return false
	}
	key := theirs.Values[ref.Column.Name]
	w.Refs = map[string]string{pointer: key}
	r, ok := p.RequestOf(e, w, on)
	if ok {
		missing := places.MissingKey(ref.Column, key)
		p.refer(e, r, pointer, key, missing)
		p.referInForms(e, r, pointer, key, missing)
	}
	return ok
}

// referInForms sends a request that names a row at a pointer of its body in its other forms, and the same for no row.
func (p prover) referInForms(e *exchange.Endpoint, r exchange.Request, pointer, key, missing string) {
	for _, form := range e.Forms() {
		other := r
		other.Header = r.Header.Clone()
		maps.Copy(other.Header, form)
		_ = p.compareReferences(e, other, pointer, key, missing)
	}
}

// takesTwo reports whether a request has two rows, so that the second one has the reference.
func takesTwo(e *exchange.Endpoint) bool { return e.Bulk != nil && !e.Bulk.Each && e.Bulk.Most > 1 }

// rowBehind returns a row that a reference of a person's body must not name; nil if there is none.
func (p prover) rowBehind(e *exchange.Endpoint, who *exchange.Person, on *fixture.Row, pointer string, ref fixture.Reference) *fixture.Row {
	switch {
	case ref.Foreign != nil:
		return p.rowOfAnother(ref, on)
	case ref.Target == nil:
		return nil
	}
	theirs := candidates.Hidden(p.Fixture, who, ref.Target)
	if via := e.Owning(pointer); theirs == nil && via != nil && !p.Lifts(who, e) {
		theirs = candidates.Foreign(p.Fixture, who, ref.Target, via)
	}
	return theirs
}

// rowOfAnother returns a row that the list of a body could set, and that is not one of the rows of a row.
func (p prover) rowOfAnother(ref fixture.Reference, on *fixture.Row) *fixture.Row {
	for _, one := range slices.Backward(p.Made) {
		if one.Table == ref.Table && (on == nil || one.Values[ref.Foreign.Name] != on.Values[ref.Base.Name]) {
			return one
		}
	}
	return nil
}

// tryLinked sends the request for a row with the key of a second row that the sender may not see: the answer
// must be that for a second row that does not exist.
func (p prover) tryLinked(e *exchange.Endpoint, one *fixture.Row) {
	target, _ := e.Linked()
	if target == nil {
		return
	}
	for _, who := range append([]*exchange.Person{one.By}, p.People[1:]...) {
		theirs := candidates.Hidden(p.Fixture, who, target)
		if theirs == nil || !p.Permits(e, who, one) {
			continue
		}
		key := theirs.Values[e.OtherKey.Name]
		missing := places.MissingKey(e.OtherKey, key)
		send := func(key string) *exchange.Answer {
			path, _ := p.PathWith(e, who, one, func() string { return key })
			return p.Send(e, exchange.Request{Method: e.Info.Method, Path: path, By: who, Header: http.Header{}})
		}
		before := p.Contents()
		got, none := send(key), send(missing)
		switch changed := before.ChangedIn(p.Contents()); {
		case got.OK():
			p.Find(e, who, got.Curl(), "a second key of another's row is accepted")
		case got.Plain(key, missing) != none.Plain(key, missing):
			p.Find(e, who, got.Curl(), "the answer differs from that for a second row that does not exist:\n%s",
				answers.Difference(got.Plain(key, missing), "for "+missing, none.Plain(key, missing)))
		case len(changed) > 0:
			p.Find(e, who, got.Curl(), "a second key of another's row changes %s", strings.Join(changed, ", "))
		}
		return
	}
}

// referDeleted sends a body with a reference to a deleted row, for a row of the person who made the deleted one, or for a new row.
func (p prover) referDeleted(e *exchange.Endpoint, on *fixture.Row, pointer string, one *fixture.Row) {
	w := p.WriterLike(e, one.By, on, pointer)
	w.Two = takesTwo(e)
	w.Used = map[string]fixture.Reference{}
	w.Body(e)
	ref := w.Used[pointer]
	if ref.Foreign != nil || ref.Target == nil || ref.Table != one.Table || !fixture.DeletedFor(ref.Target, one) || p.byWhere(ref.Target, one) {
		return
	}
	key := one.Values[ref.Column.Name]
	w.Refs = map[string]string{pointer: key}
	if r, ok := p.RequestOf(e, w, on); ok {
		missing := places.MissingKey(ref.Column, key)
		_ = p.compareReferences(e, r, pointer, key, missing)
		p.referInForms(e, r, pointer, key, missing)
	}
}

// byWhere reports whether the Where of a viewset shows a deleted row to the person who made it.
func (p prover) byWhere(target *table.Resource, one *fixture.Row) bool {
	return target.Scope.Kind == declare.ScopeWhere && p.Sees(one.By, target, one)
}

// refer sends a request that names another's row at a pointer of its body, and the same for no row. If the body has other faults, the
// reference could not be tried.
func (p prover) refer(e *exchange.Endpoint, r exchange.Request, pointer, key, missing string) {
	if got := p.compareReferences(e, r, pointer, key, missing); got != nil {
		p.Skip(e, r.By, got.Curl(), "a reference to another's row at %s could not be tried, because the body has other faults:\n%s", pointer, sample.Clip(got.Text))
	}
}

// compareReferences compares the answers to a request that names a row at a pointer of its body, and to the same for no row. It returns an
// answer with other faults, and nil for any other.
func (p prover) compareReferences(e *exchange.Endpoint, r exchange.Request, pointer, key, missing string) *exchange.Answer {
	before := p.Contents()
	none := r
	none.Body = e.WithKeyAt(r.Body, pointer, key, missing)
	got, other := p.Send(e, r), p.Send(e, none)
	faults := sample.PointersIn(got.Value())
	switch changed := before.ChangedIn(p.Contents()); {
	case got.OK():
		p.Find(e, r.By, got.Curl(), "a reference to another's row at %s is accepted", pointer)
	case got.Plain(key, missing) != other.Plain(key, missing):
		p.Find(e, r.By, got.Curl(), "a reference to another's row at %s is answered otherwise than one to no row:\n%s",
			pointer, answers.Difference(got.Plain(key, missing), "for "+missing, other.Plain(key, missing)))
	case len(faults) > 0 && !slices.ContainsFunc(faults, func(one string) bool { return strings.HasSuffix(one, pointer) }):
		return got
	case len(changed) > 0:
		p.Find(e, r.By, got.Curl(), "a reference to another's row at %s changes %s", pointer, strings.Join(changed, ", "))
	}
	return nil
}
