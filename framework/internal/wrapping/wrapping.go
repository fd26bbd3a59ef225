// Package wrapping finds the members around the bodies and answers of endpoints, and the mistakes in their names.
package wrapping

import (
	"reflect"
	"regexp"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
)

// A Report reports a mistake at a place of the declaration of a resource.
type Report func(r *table.Resource, place string, err error)

// memberName matches the names of Wrap and WrapList.
var memberName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// Wrap sets the members around the bodies and answers of a viewset.
func Wrap(r *table.Resource, report Report) {
	for _, e := range r.Endpoints {
		wrapEndpoint(r, e, report)
	}
}

// Check reports names of Wrap and WrapList that are not valid or have no effect. A viewset's
// WrapList also names its rows in the related lists of others.
func Check(a *table.Registry, report Report) {
	objects, lists := map[*declare.Declaration]bool{}, map[*declare.Declaration]bool{}
	for _, e := range a.Endpoints() {
		list := e.Pagination != nil || e.Out != nil && e.Out.Kind() == reflect.Slice
		if list && e.AnswerIn != "" {
			lists[rowsOf(e.Resource, e)] = true
		}
		if e.BodyIn.Member != "" || !list && e.AnswerIn != "" {
			objects[e.Resource.Declaration] = true
		}
	}
	for _, r := range a.Resources {
		d := r.Declaration
		checkWrap(r, "Wrap", d.Wrap, "has a body, or answers with one object", objects[d], report)
		checkWrap(r, "WrapList", d.WrapList, "answers with a list", lists[d] || lacksPagination(r), report)
	}
}

func checkWrap(r *table.Resource, setting, name, around string, used bool, report Report) {
	switch {
	case name == "":
	case !memberName.MatchString(name):
		report(r, setting, naming.Sentence("%q is the name of a member: letters, digits, - and _, and no digit first", name))
	case !used:
		report(r, setting, naming.Sentence("it has no effect, because no endpoint %s; leave it out", around))
	}
}

// lacksPagination reports whether a list has no pagination, which is a mistake of its own.
func lacksPagination(r *table.Resource) bool {
	return slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.Ordering != nil && e.Pagination == nil })
}

// wrapEndpoint sets the members around the body and the answer of one endpoint. The rows of a
// related list have the name that their own viewset gives them.
func wrapEndpoint(r *table.Resource, e *table.Endpoint, report Report) {
	d := r.Declaration
	if e.Pagination == nil {
		e.Names = wire.CompileNames(e.Out, r.API.Config.Case)
	}
	if e.Unwrapped || e.File != nil {
		return
	}
	if e.TakesBody() && len(e.Input.Fields) > 0 && e.Bulk == nil {
		e.BodyIn = input.Wrapper{Member: d.Wrap, Optional: e.NeedsNoBody()}
	}
	switch {
	case e.Pagination != nil:
		e.AnswerIn = d.WrapList
		checkPageMember(r, e, report)
	case e.Out == nil || e.Out == input.NoneType || wire.MakesJSON(e.Out):
	case naming.Indirect(e.Out).Kind() == reflect.Struct || e.Out.Kind() == reflect.Map:
		e.AnswerIn = d.Wrap
	case e.Out.Kind() == reflect.Slice:
		e.AnswerIn = rowsOf(r, e).WrapList
	}
}

// rowsOf returns the declaration of the viewset whose rows an action answers with: that of the
// rows of Related, or else that of the action.
func rowsOf(r *table.Resource, e *table.Endpoint) *declare.Declaration {
	for _, a := range r.Declaration.Actions {
		if a.Related != nil && a.Name == e.Route.Name && a.Method == e.Route.Method {
			if target, err := r.API.LookUp(a.Related.Viewset); err == nil {
				return target.Declaration
			}
		}
	}
	return r.Declaration
}

// checkPageMember reports a name of the rows that another member of the page has.
func checkPageMember(r *table.Resource, e *table.Endpoint, report Report) {
	if names := describe.NewOperation(e).PageMembers(); e.AnswerIn != "" && slices.Contains(names, e.AnswerIn) {
		report(r, "WrapList", naming.Sentence("%q is a member of the pages already; choose another name", e.AnswerIn))
	}
}
