package deleted

import (
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/lists"
	"trestle.example/framework/internal/prove/reach"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// tryErased requests a row that is deleted softly by the parameter for deleted rows, and then restores it, by each viewset of its table
// that declares that. Other callers than the permitted ones must see and change nothing.
func (p prover) tryErased(one *fixture.Row) {
	p.Erased = true
	defer func() { p.Erased = false }()
	var restoring []*exchange.Endpoint
	for _, e := range p.Endpoints {
		switch of := e.Resource; {
		case of.Table == nil || of.Table.Name != one.Table:
		case e.Restores:
			restoring = append(restoring, e)
		case e.Deleted != nil:
			p.requestErased(e, one)
		}
	}
	for _, e := range restoring {
		p.tryRestore(e, one)
	}
}

// requestErased sends the request of an endpoint for deleted rows as each person. Lists are also read by values of the row, by a person who does
// not see it.
func (p prover) requestErased(e *exchange.Endpoint, one *fixture.Row) {
	if e.Spec.Key == nil {
		lists.GuessDeleted(p.Checker, e, one)
	}
	for _, who := range e.Callers {
		r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
		if !ok || e.Access(who) == spec.AccessRefused {
			continue
		}
		r = withDeleted(r)
		if may := p.SeesErased(e, r); e.Spec.Key != nil && (!may || !p.Has(who, e, one)) {
			for _, r.Path = range append([]string{r.Path}, candidates.Crossed(p.Fixture, e, who, one)...) {
				reach.By(p.Checker, e, r, e.Resource, one, !may, true)
			}
			continue
		}
		p.listErased(e, r, one)
		for _, query := range candidates.Exports(e) {
			whole := r
			whole.Query += "&" + query
			p.listErased(e, whole, one)
		}
	}
}

// withDeleted is a request for deleted rows.
func withDeleted(r exchange.Request) exchange.Request {
	r.Query = strings.TrimPrefix(r.Query+"&"+table.ParamDeleted+"=true", "&")
	return r
}

// hiddenAbove returns the row above a row if a person may not see it; nil for any other row.
func (p prover) hiddenAbove(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) *fixture.Row {
	above := e.Resource.Above
	if above == nil {
		return nil
	}
	for _, parent := range p.RowsOf(above.Parent) {
		if parent.Values[above.Parent.Pk.Name] == one.Values[above.Column.Name] && !p.Sees(who, above.Parent, parent) {
			return parent
		}
	}
	return nil
}

// listErased sends a request for deleted rows, one among them. Below a row that the sender does not see, it must be
// answered as below a row that does not exist.
func (p prover) listErased(e *exchange.Endpoint, r exchange.Request, one *fixture.Row) {
	may := p.SeesErased(e, r)
	if above := p.hiddenAbove(e, r.By, one); e.Spec.Key == nil && above != nil {
		reach.By(p.Checker, e, r, e.Resource.Above.Parent, above, !may, true)
		return
	}
	got := p.Send(e, r)
	p.CheckShown(e, got, nil)
	switch {
	case !may && !got.Rejects():
		p.Find(e, r.By, got.Curl(), "it is answered %d, and the declarations let this caller see no deleted rows", got.Status)
	case may && p.Has(r.By, e, one) && !got.OK():
		p.Find(e, r.By, got.Curl(), "it is answered %d, and the declarations permit this caller", got.Status)
	}
}

// tryRestore restores a deleted row as each person who may not, and at last as one who may.
func (p prover) tryRestore(e *exchange.Endpoint, one *fixture.Row) {
	permitted := func(who *exchange.Person) bool { return p.Permits(e, who, one) }
	for _, who := range e.Callers {
		if !permitted(who) {
			p.reachRestore(e, who, one)
		}
	}
	reach.Elsewhere(p.Checker, e, one)
	people := slices.Concat([]*exchange.Person{one.By}, p.People)
	at := slices.IndexFunc(people, permitted)
	if at < 0 || !fixture.DeletedFor(e.Resource, one) {
		return
	}
	r, ok := p.RequestOf(e, p.WriterLike(e, people[at], one, ""), one)
	if !ok {
		return
	}
	got, _ := p.Perform(e, r, one)
	if got.Status != http.StatusConflict && fixture.DeletedFor(e.Resource, one) { // another row may have its values
		p.Find(e, people[at], got.Curl(), "it is answered %d, and the row is not restored", got.Status)
	}
}

// reachRestore restores a deleted row as a person who may not. The row must stay as it is.
func (p prover) reachRestore(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) {
	r, ok := p.RequestOf(e, p.WriterLike(e, who, one, ""), one)
	if !ok {
		return
	}
	paths := []string{r.Path}
	if !p.Has(who, e, one) {
		paths = append(paths, candidates.Crossed(p.Fixture, e, who, one)...)
	}
	before := p.Contents() // with the rows that the paths name
	for _, r.Path = range paths {
		reach.By(p.Checker, e, r, e.Resource, one, e.Access(who) == spec.AccessRefused, true)
	}
	if changed := before.ChangedIn(p.Contents()); len(changed) > 0 {
		p.Find(e, who, r.Curl(), "it changes %s, and the row is not theirs to restore", strings.Join(changed, ", "))
	}
}
