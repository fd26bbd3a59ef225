package bind

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/listing"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/restore"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/totals"
	"trestle.example/framework/internal/verb"
)

// bindTotals makes the endpoint of the totals of a list.
func (b *binder) bindTotals(r *table.Resource, a declare.Action, fault func(error)) {
	plan := totals.Bind(r, r.Declaration.Totals, fault)
	if r.Declaration.Verbs.Get(call.VerbList).Kind == declare.VerbAbsent {
		fault(naming.Sentence("the totals are those of the verb List, and there is none; declare it, or leave Totals out"))
		return
	}
	e := b.newEndpoint(r, declare.TotalsName, a.Name, a.Method, a.Rules)
	e.Asks, e.Unwrapped, e.Doc, e.Out, e.Totals = true, true, a.Doc, reflect.TypeFor[totals.Answer](), plan
	e.Pattern = actionPattern(r, a)
	e.Settle()
	l := listing.Totals{List: &listing.List{Resource: r, Endpoint: verb.NewHandler(e)}, Plan: plan}
	add := b.params(e)
	add(declare.TotalsName, plan.Params()...)
	b.filters(l.List, a.Filters, add)
	b.searches(l.List, add)
	add("soft delete", restore.ShowDeleted(e)...)
	if list := r.EndpointOf(call.VerbList); list != nil { // nil: the verb has a mistake
		plan.CheckBeside(e.Params, list.Params, fault)
	}
	l.Guard()
	refuseUnseen(l.List)
	e.Serve = verb.Reading(l.Serve)
	r.Endpoints = append(r.Endpoints, e)
}

// checkTotals reports settings of totals that have no effect.
func checkTotals(d declare.Totals, fault func(error)) {
	access.CheckPermission(d.Permission, fault)
	if !d.Declared() && (d.Permission != nil || d.Param != "" || d.MaxGroups != 0) {
		fault(naming.Sentence("no field is listed; list fields in By, Sum, Min or Max, or leave Totals out"))
	}
}
