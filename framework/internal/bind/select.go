package bind

import (
	"reflect"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/view"
)

// selectable compiles what clients may choose of a view, if the viewset declares that, and returns the plan for
// answers of verbs without a choice. Functions have all members.
func (b *binder) selectable(r *table.Resource, whole *view.Plan, out reflect.Type) *view.Plan {
	if !r.Declaration.Select.Offered() || out.Kind() != reflect.Struct {
		return whole
	}
	s := whole.Select(r.Declaration.Select, b.at(r, "select"))
	b.selections[viewOf{r, out}] = s
	return s.Default
}

// answered is the plan of the answers of an endpoint without a choice; nil if they are of no view.
func (b *binder) answered(e *table.Endpoint) *view.Plan {
	if s := b.selections[viewOf{e.Resource, e.Out}]; s != nil {
		return s.Default
	}
	plan, _ := e.Resource.Shown[e.Out].(*view.Plan)
	return plan
}

// selection is what clients may choose of the rows that an endpoint shows by a type; nil for nothing.
func (b *binder) selection(e *table.Endpoint, out reflect.Type) *view.Selection {
	s := b.selections[viewOf{e.Resource, out}]
	if s == nil {
		return nil
	}
	b.chosen[e.Resource] = append(b.chosen[e.Resource], s)
	e.Unasked = s.Default.Hiding()
	if len(s.Params()) == 0 {
		return nil
	}
	e.Asks, e.Chooses = true, true
	return s
}

// hideUnasked makes the answers of verbs that write have the members of an answer without a choice.
func (b *binder) hideUnasked(r *table.Resource) {
	for _, e := range r.Endpoints {
		if s := b.selections[viewOf{r, e.Out}]; s != nil && e.Kind == declare.VerbAccepts {
			e.Mask = s.Default.Hiding()
		}
	}
}

// checkSelect reports the mistakes in a declaration of Select: names that no view has, columns, a name twice, and a viewset
// without an endpoint whose members clients could choose. All endpoints are bound.
func (b *binder) checkSelect(r *table.Resource) {
	declared, fault := r.Declaration.Select, b.at(r, "select")
	if !declared.Offered() {
		return
	}
	for _, name := range []string{call.VerbRetrieve, call.VerbList} {
		if r.Declaration.Verbs.Get(name).Kind == declare.VerbComputes {
			fault(naming.Sentence("%s computes its rows by a function, which has all members; leave Select out, or show a view", name))
			return
		}
	}
	views := b.chosen[r]
	if len(views) == 0 {
		fault(naming.Sentence("no Retrieve, no List and no action of Lists shows a view; it needs one"))
		return
	}
	for i, name := range declared.Expand {
		some := func(has func(*view.Selection, string) bool) bool {
			return slices.ContainsFunc(views, func(s *view.Selection) bool { return has(s, name) })
		}
		switch {
		case slices.Contains(declared.Expand[:i], name):
			fault(naming.Sentence("Expand has %q twice", name))
		case some((*view.Selection).Expands):
		case some((*view.Selection).HasColumn):
			fault(naming.Sentence("%q is a column of the row itself; Expand is for related rows and values from them", name))
		default:
			fault(naming.Sentence("Expand has %q, which is no member of a view of Retrieve, List or Lists%s", name, naming.Suggestion(naming.Nearest(name, views[0].Names()))))
		}
	}
}
