package restore

import (
	"fmt"
	"reflect"
	"slices"

	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// Bind notes the tables whose viewsets declare SoftDelete, and reports models without a column for it.
func Bind(a *table.Registry, report func(r *table.Resource, place string, err error)) {
	a.Softly = map[string]bool{}
	for _, r := range a.Resources {
		if !r.Declaration.SoftDelete.Declared() {
			continue
		}
		switch deleted := r.Table.SoftDeleteField; {
		case deleted == nil:
			report(r, "soft delete", naming.Sentence("%s has no column that marks a row as deleted; add DeletedAt time.Time `bun:\",soft_delete,nullzero\"`", r.Model.Name()))
		case !deleted.IsPtr && !deleted.NullZero:
			report(r, "soft delete", naming.Sentence("%s.%s cannot be NULL, so no partial index leaves deleted rows out; tag it `bun:\",soft_delete,nullzero\"`", r.Model.Name(), deleted.GoName))
		default:
			a.Softly[r.Table.Name] = true
		}
	}
}

// Marks reports whether the declaration of SoftDelete of a viewset is valid. Mistakes in it are reported.
func Marks(r *table.Resource) bool {
	return r.Declaration.SoftDelete.Declared() && r.DeletesSoftly()
}

// ShowDeleted lets callers with the declared permission request deleted rows, and returns the parameter for it; none without the
// declaration.
func ShowDeleted(e *table.Endpoint) []query.Param {
	d := e.Resource.Declaration.SoftDelete
	if d.Deleted == nil || !Marks(e.Resource) {
		return nil
	}
	e.Deleted, e.Asks = d.Deleted, true
	e.Refuses = append(slices.Clip(e.Refuses), problem.CodeForbidden, problem.CodeAuthenticationRequired)
	return []query.Param{{
		Name: table.ParamDeleted, Type: reflect.TypeFor[bool](),
		Doc: fmt.Sprintf("true for the rows that are deleted, and for no others. It needs this permission: %s.", access.Reading(d.Deleted)),
	}}
}

// Check reports permissions of SoftDelete that have no effect.
func Check(r *table.Resource, fault func(error)) {
	d := r.Declaration.SoftDelete
	access.CheckPermission(d.Deleted, fault)
	shown := slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.Deleted != nil })
	if d.Deleted != nil && Marks(r) && !shown {
		fault(naming.Sentence("no row is shown, so Deleted has no effect; declare List, Retrieve or an action of framework.Lists, or leave Deleted out"))
	}
}
