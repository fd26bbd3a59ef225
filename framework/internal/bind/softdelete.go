package bind

import (
	"fmt"
	"reflect"
	"slices"

	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/restore"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// bindSoftDeletes notes the tables whose viewsets declare SoftDelete, and reports models without a column for it.
func (b *binder) bindSoftDeletes() {
	b.api.Softly = map[string]bool{}
	for _, r := range b.api.Resources {
		if !r.Declaration.SoftDelete.Declared() {
			continue
		}
		switch deleted := r.Table.SoftDeleteField; {
		case deleted == nil:
			b.fault(r.Path, "soft delete", naming.Sentence("%s has no column that marks a row as deleted; add DeletedAt time.Time `bun:\",soft_delete,nullzero\"`", r.Model.Name()))
		case !deleted.IsPtr && !deleted.NullZero:
			b.fault(r.Path, "soft delete", naming.Sentence("%s.%s cannot be NULL, so no partial index leaves deleted rows out; tag it `bun:\",soft_delete,nullzero\"`", r.Model.Name(), deleted.GoName))
		default:
			b.api.Softly[r.Table.Name] = true
		}
	}
}

// marks reports whether the declaration of SoftDelete of a viewset is valid. Mistakes in it are reported.
func marks(r *table.Resource) bool {
	return r.Declaration.SoftDelete.Declared() && r.DeletesSoftly()
}

// bindRestore makes the endpoint that restores a row.
func (b *binder) bindRestore(r *table.Resource, a declare.Action, fault func(error)) {
	switch {
	case !marks(r): // reported
		return
	case !r.HasAddresses():
		fault(naming.Sentence("no verb is about one row, so no row has a path; declare Delete or Retrieve, or leave Restore out"))
		return
	}
	modelhook.OfUpdate().Check(r.Model, fault)
	modelhook.OfSelect().Check(r.Model, fault)
	e := b.newEndpoint(r, placeOf(a), a.Name, a.Method, a.Rules)
	e.OnObject, e.Restores, e.Doc, e.Out = true, true, a.Doc, input.NoneType
	e.ByWriters = changes(e)
	e.Pattern = actionPattern(r, a)
	e.Refuses = append(slices.Clip(e.Refuses), problem.CodeUnique, problem.CodeConflict)
	e.Settle()
	e.Serve = restore.Restoring{Endpoint: verb.NewHandler(e)}.Serve()
	r.Endpoints = append(r.Endpoints, e)
}

// showDeleted lets callers with the declared permission request deleted rows, and returns the parameter for it; none without the
// declaration.
func showDeleted(e *table.Endpoint) []query.Param {
	d := e.Resource.Declaration.SoftDelete
	if d.Deleted == nil || !marks(e.Resource) {
		return nil
	}
	e.Deleted, e.Asks = d.Deleted, true
	e.Refuses = append(slices.Clip(e.Refuses), problem.CodeForbidden, problem.CodeAuthenticationRequired)
	return []query.Param{{
		Name: table.ParamDeleted, Type: reflect.TypeFor[bool](),
		Doc: fmt.Sprintf("true for the rows that are deleted, and for no others. It needs this permission: %s.", access.Reading(d.Deleted)),
	}}
}

// checkSoftDelete reports permissions of SoftDelete that have no effect.
func (b *binder) checkSoftDelete(r *table.Resource) {
	d, fault := r.Declaration.SoftDelete, b.at(r, "soft delete")
	access.CheckPermission(d.Deleted, fault)
	shown := slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.Deleted != nil })
	if d.Deleted != nil && marks(r) && !shown {
		fault(naming.Sentence("no row is shown, so Deleted has no effect; declare List, Retrieve or an action of framework.Lists, or leave Deleted out"))
	}
}
