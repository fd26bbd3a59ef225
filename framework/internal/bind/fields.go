package bind

import (
	"reflect"
	"strings"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
)

// maskAll hides members of the answers of a viewset from callers, and reports rules about writing
// that have no effect. All views are bound. Lists, related lists, and rows whose members clients choose hide members themselves.
func maskAll(r *table.Resource, fault func(error)) {
	for _, name := range r.Fields.Ineffective() {
		fault(naming.Sentence("Writes(%q) has no effect, because no verb that accepts an input writes it; leave it out", name))
	}
	known := func(t reflect.Type) (*fieldrule.Mask, bool) { return maskOf(r, t) }
	for _, e := range r.Endpoints {
		shown := e.Out
		if e.Parts != nil {
			shown = e.Parts.Element
		}
		if e.Pagination == nil && e.File == nil && !e.Chooses {
			e.Mask = fieldrule.OfType(shown, known)
		}
	}
}

// maskOf returns the mask of a view, and whether the type is one: of this viewset, or else of any
// viewset that shows it.
func maskOf(r *table.Resource, t reflect.Type) (m *fieldrule.Mask, isView bool) {
	if shown := r.Shown[t]; shown != nil {
		return shown.Hiding(), true
	}
	for _, other := range r.API.Resources {
		if shown := other.Shown[t]; shown != nil {
			m, isView = fieldrule.Join(m, shown.Hiding()), true
		}
	}
	return m, isView
}

// bindRules notes the rules about a field that a verb writes. It reports a field that is required
// and that only some callers may write.
func bindRules(w *verb.Writing, col verb.InputColumn, fault func(error)) {
	rules := w.Resource.Fields.Writing(col.Column)
	if len(rules) > 0 && w.Endpoint.Locks == nil {
		w.Endpoint.Locks = map[string][]*fieldrule.Rule{}
	}
	for _, rule := range rules {
		w.Endpoint.Locks[col.Input.Name] = append(w.Endpoint.Locks[col.Input.Name], rule)
		rule.Effective = true
		if col.Input.Required {
			fault(naming.Sentence("%s is required, but only some callers may write it; make it a pointer, or give it a default", col.Input.Place))
		}
		said := "Only callers with this permission write it: " + rule.Permission.String() + "."
		if !strings.Contains(col.Input.Doc, said) {
			col.Input.Doc = strings.TrimSpace(col.Input.Doc + " " + said)
		}
		w.Endpoint.Refuses = naming.AddNew(w.Endpoint.Refuses, []string{problem.CodeForbidden, problem.CodeAuthenticationRequired})
	}
}
