package bind

import (
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/restore"
	"trestle.example/framework/internal/scoping"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
)

// bindRestore makes the endpoint that restores a row.
func (b *binder) bindRestore(r *table.Resource, a declare.Action, fault func(error)) {
	switch {
	case !restore.Marks(r): // reported
		return
	case !r.HasAddresses():
		fault(naming.Sentence("no verb is about one row, so no row has a path; declare Delete or Retrieve, or leave Restore out"))
		return
	}
	modelhook.OfUpdate().Check(r.Model, fault)
	modelhook.OfSelect().Check(r.Model, fault)
	e := b.newEndpoint(r, placeOf(a), a.Name, a.Method, a.Rules)
	e.OnObject, e.Restores, e.Doc, e.Out = true, true, a.Doc, input.NoneType
	e.ByWriters = scoping.Changes(e)
	e.Pattern = actionPattern(r, a)
	e.Refuses = append(slices.Clip(e.Refuses), problem.CodeUnique, problem.CodeConflict)
	e.Settle()
	e.Serve = restore.Restoring{Endpoint: verb.NewHandler(e)}.Serve()
	r.Endpoints = append(r.Endpoints, e)
}
