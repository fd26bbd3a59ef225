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

// A viewOf is a type by which a viewset shows its rows.
type viewOf struct {
	resource *table.Resource
	out      reflect.Type
}

// selectable compiles what clients may choose of a view, if the viewset declares that, and returns the plan for
// answers without a choice.
func (b *binder) selectable(r *table.Resource, plan *view.Plan, out reflect.Type) *view.Plan {
	if !r.Declaration.Select.Offered() || out.Kind() != reflect.Struct {
		return plan
	}
	s := plan.Select(r.Declaration.Select, b.at(r, "select"))
	b.selections[viewOf{r, out}] = s
	return s.Default
}

// selection is what clients may choose of the rows that an endpoint shows by a type; nil for nothing. The endpoint gets the
// parameters.
func (b *binder) selection(e *table.Endpoint, out reflect.Type) *view.Selection {
	s := b.selections[viewOf{e.Resource, out}]
	if s == nil || len(s.Params()) == 0 {
		return nil
	}
	e.Asks, e.Chooses = true, true
	return s
}

// checkSelect reports the mistakes in a declaration of Select: names that no view has, a name twice, and a viewset without a verb that
// shows a view. All verbs are bound.
func (b *binder) checkSelect(r *table.Resource) {
	declared := r.Declaration.Select
	if !declared.Offered() {
		return
	}
	fault := b.at(r, "select")
	var shown []*view.Selection
	for _, name := range []string{call.VerbRetrieve, call.VerbList} {
		v := r.Declaration.Verbs.Get(name)
		if v.Kind == declare.VerbComputes {
			fault(naming.Sentence("%s computes its rows by a function, which has all members; leave Select out, or show a view", name))
			return
		}
		if s := b.selections[viewOf{r, v.Out}]; s != nil && v.Kind == declare.VerbShows {
			shown = append(shown, s)
		}
	}
	if len(shown) == 0 {
		fault(naming.Sentence("no Retrieve and no List shows a view; it needs one"))
		return
	}
	for i, name := range declared.Expand {
		switch {
		case slices.Contains(declared.Expand[:i], name):
			fault(naming.Sentence("Expand has %q twice", name))
		case !slices.ContainsFunc(shown, func(s *view.Selection) bool { return s.Has(name) }):
			fault(naming.Sentence("Expand has %q, which is no member of a view of Retrieve or List%s", name, naming.Suggestion(naming.Nearest(name, shown[0].Names()))))
		}
	}
}
