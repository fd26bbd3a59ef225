package bind

import (
	"reflect"

	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/audit"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/history"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/restore"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
)

// bindReads makes the endpoint of the reads of a row.
func (b *binder) bindReads(r *table.Resource, a declare.Action, fault func(error)) {
	switch {
	case b.api.Audits[r.Table.Name] != r.Path: // reported
		return
	case !r.HasAddresses():
		fault(naming.Sentence("no verb is about one row, so no row has a path; declare Retrieve, or leave Audit out"))
		return
	}
	e := b.newEndpoint(r, audit.Place, a.Name, a.Method, a.Rules)
	e.OnObject, e.Asks, e.ShowsReads, e.Doc, e.Out = true, true, true, a.Doc, reflect.TypeFor[audit.Entry]()
	e.Pattern = actionPattern(r, a)
	e.Pagination = history.Pages{}
	e.Params = append(e.Pagination.Params(), restore.ShowDeleted(e)...)
	e.Settle()
	b.later(func() { e.Permission = access.All(e.Permission, retrieves(r)) })
	e.Serve = verb.Reading(audit.Reading{Endpoint: verb.NewHandler(e)}.Serve)
	r.Endpoints = append(r.Endpoints, e)
}
