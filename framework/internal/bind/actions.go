package bind

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/bulk"
	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rows"
	"trestle.example/framework/internal/scoping"
	"trestle.example/framework/internal/shadow"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/toggle"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
)

func (b *binder) bindActions(r *table.Resource) {
	taken := map[string]bool{}
	bulk.CheckSettings(r, b.at(r, "bulk"))
	for _, a := range r.Declaration.Actions {
		place := placeOf(a)
		fault := b.at(r, place)
		slot := fmt.Sprint(a.OnObject, a.Method, a.Name, a.Links != "")
		switch {
		case !pathName.MatchString(a.Name) || a.OnObject && strings.Contains(a.Name, "/"):
			fault(naming.Sentence("an action's name is part of its path: letters, digits, - and _, and / where it is on the collection"))
			continue
		case declare.IsVerb(a.Name):
			fault(naming.Sentence("it has the name of a verb; declare Verbs, or choose another name"))
			continue
		case a.Empty:
			fault(naming.Sentence("it has no function"))
			continue
		case taken[slot]:
			fault(naming.Sentence("it is declared twice for %s", a.Method))
			continue
		case (!a.OnObject || r.Declaration.Single) && shadow.Collides(r, a):
			fault(naming.Sentence("its path is that of another resource, or of an action of one"))
			continue
		}
		taken[slot] = true
		b.bindDeclared(r, a, place, fault)
	}
}

// bindDeclared makes the endpoint of an action, by what it does.
func (b *binder) bindDeclared(r *table.Resource, a declare.Action, place string, fault func(error)) {
	switch {
	case a.Bulk != "":
		b.bindBulk(r, a, fault)
	case a.History:
		b.bindHistory(r, a, fault)
	case a.Reads:
		b.bindReads(r, a, fault)
	case a.Restore:
		b.bindRestore(r, a, fault)
	case a.Totals:
		b.bindTotals(r, a, fault)
	case a.Links != "":
		b.bindLinks(r, a, fault)
	default:
		b.bindAction(r, a, b.newEndpoint(r, place, a.Name, a.Method, a.Rules), fault)
	}
}

// bindAction completes the endpoint of an action.
func (b *binder) bindAction(r *table.Resource, a declare.Action, e *table.Endpoint, fault func(error)) {
	e.OnObject, e.Doc, e.Out = a.OnObject, a.Doc, a.Out
	e.ByWriters, e.ByReaders = scoping.ByWriters(e, a, fault), a.ByReaders || a.Toggle != nil
	if a.OnObject {
		modelhook.OfSelect().Check(r.Model, fault)
	}
	e.Pattern = actionPattern(r, a)
	e.Input = b.input(r, a.In, fault)
	children.Misplaced(e.Input, fault)
	if !e.IsWrite() {
		b.queryInput(e, a.In, fault)
	}
	b.parts(e, a, fault)
	e.Settle()
	b.act(e, a, fault)
	r.Endpoints = append(r.Endpoints, e)
}

// bindLinks makes the two endpoints of an action of Links.
func (b *binder) bindLinks(r *table.Resource, a declare.Action, fault func(error)) {
	links, err := children.BindLinks(r, a.Links, fault)
	if err != nil {
		fault(err)
		return
	}
	for method, serve := range links.Methods() {
		e := b.newEndpoint(r, fmt.Sprintf("action %q", a.Name), a.Name, method, a.Rules)
		e.OnObject, e.Out, e.OtherKey = true, a.Out, links.Key()
		e.Doc = cmp.Or(a.Doc, links.Doc(method))
		e.ByWriters, e.ByReaders = scoping.ByWriters(e, a, fault), a.ByReaders
		e.Pattern = strings.TrimSuffix(r.ItemPath(), "/") + "/" + a.Name + "/:other" + r.Slash
		e.Settle()
		e.Refuses = append(slices.Clip(e.Refuses), links.Refuses(method)...)
		links.Status = e.Status
		e.Serve = serve
		r.Endpoints = append(r.Endpoints, e)
	}
}

// act sets the function that serves an action's endpoint. For a related list and a toggle, it also
// adds their error codes.
func (b *binder) act(e *table.Endpoint, a declare.Action, fault func(error)) {
	switch {
	case a.List.Declared:
		shown := b.representation(e.Resource, declare.Verb{Kind: declare.VerbShows, Out: a.Out}, fault)
		e.Serve = verb.Reading(b.listing(e.Resource, e, shown, a.Out, listed{a.Rules, a.List, e.Place()}).Serve)
	case a.Pagination != nil || a.Filters != nil || len(a.List.Where)+len(a.List.Narrow) > 0 || a.List.Ordering != nil:
		fault(naming.Sentence("Where, Narrow, Order, Filter and Paginate are for framework.Lists"))
	case a.Related != nil:
		e.Serve = verb.Reading(b.bindRelated(e, a.Related, fault))
		e.Refuses = append(slices.Clip(e.Refuses), problem.CodeTooManyRows)
	case a.Toggle != nil:
		e.Serve = verb.Function{Endpoint: verb.NewHandler(e), Call: b.bindToggle(e, a, fault)}.Serve()
	default:
		e.Serve = verb.Function{Endpoint: verb.NewHandler(e), Call: a.Run}.Serve()
	}
}

// bindToggle returns the function of an action of Toggle, which is for signed-in callers. When all
// resources are bound, it finds the view of the answer.
func (b *binder) bindToggle(e *table.Endpoint, a declare.Action, fault func(error)) func(c *call.Call, object, in any) (any, error) {
	t := toggle.Bind(e.Resource, a.Toggle, fault)
	if t == nil {
		return nil
	}
	if a.Untransacted {
		fault(naming.Sentence("Untransacted is for functions; leave it out"))
	}
	e.Toggles, e.Resource.Stores = true, append(e.Resource.Stores, t.Table())
	e.Permission, e.Refuses = access.SignedIn(e.Permission), append(slices.Clip(e.Refuses), t.Refuses(a.Method)...)
	b.later(func() {
		if a.Out == input.NoneType {
			return
		}
		var err error
		if _, t.Shown, err = rows.New(b.api).Finder(e.Resource.Path, a.Out); err != nil {
			fault(err)
		}
	})
	return t.Run(a.Method)
}
