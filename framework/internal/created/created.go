// Package created finds which viewset the answers of functions show, and which rows functions create.
package created

import (
	"net/http"
	"reflect"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// Bind finds out which viewset the answers of functions show, for the codes of its constraints,
// and which endpoints answer 201 with the key of a row, so that their answers have the header
// Location. It runs when all resources are bound.
func Bind(resources []*table.Resource) {
	for _, r := range resources {
		for _, e := range r.Endpoints {
			if e.Kind == declare.VerbDoes || e.Kind == declare.VerbChanges || e.Kind == declare.VerbAbsent { // an action
				e.Shown = shownBy(e)
			}
			e.Creates = created(e)
		}
	}
}

// created describes the row that an endpoint creates. The key is matched by Go name and type. The
// result is nil if the endpoint is not a function that answers 201, the answer is not a struct with
// the key, or the viewset does not serve single rows. It is nil if that viewset is another one below
// rows, because the request has no key of its parent, unless the endpoint is on a row of the parent.
func created(e *table.Endpoint) (row *table.Created) {
	r := e.Shown
	if r == nil || e.Status != http.StatusCreated || e.Out == nil || e.Out.Kind() != reflect.Struct {
		return nil
	}
	below := r != e.Resource && r.Above != nil
	if r.Key == nil || !r.HasAddresses() || below && (r.Above.Parent != e.Resource || !e.OnObject) {
		return nil
	}
	for f := range naming.ShapeFields(e.Out) {
		if f.Name == r.Key.GoName && f.Type == r.Key.StructField.Type {
			row = &table.Created{Resource: r, Key: f.Index, Below: below}
		}
	}
	return row
}

// shownBy returns the viewset whose rows the answer shows. It is that of the endpoint, unless none of
// its verbs has the answer, or the elements of an answer that is a list, and a verb of a viewset of another
// model has it. A function without an answer shows those of its own viewset.
func shownBy(e *table.Endpoint) *table.Resource {
	out := e.Out
	if out != nil && out.Kind() == reflect.Slice {
		out = out.Elem()
	}
	answers := func(v declare.NamedVerb) bool { return v.Out == out }
	if e.Out == input.NoneType || slices.ContainsFunc(e.Resource.Declaration.Verbs, answers) {
		return e.Resource
	}
	for _, other := range e.Resource.API.Resources {
		if other.Model != e.Resource.Model && slices.ContainsFunc(other.Declaration.Verbs, answers) {
			return other
		}
	}
	return e.Resource
}
