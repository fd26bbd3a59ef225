package apicheck

import (
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// CheckQuotas reports each quota of a table to which no endpoint of the API can add a row.
func (k Checker) CheckQuotas() {
	for _, r := range k.API.Resources {
		if r.Declaration.Quota.Rows > 0 && r.Quota() != nil && !k.grows(r) {
			k.Fault(r.Path, "quota", naming.Sentence("no endpoint adds rows of %s, so the limit has no effect; declare a verb, a Bulk or an action that adds them, or leave Quota out",
				r.Model.Name()))
		}
	}
}

// grows reports whether an endpoint may add rows to the table of a viewset.
func (k Checker) grows(r *table.Resource) bool {
	return slices.ContainsFunc(k.API.Resources, func(other *table.Resource) bool {
		if other.Table.Name == r.Table.Name && other.Declaration.Verbs.Get(call.VerbCreate).Kind != declare.VerbAbsent { // even with a mistake
			return true
		}
		return slices.ContainsFunc(other.Endpoints, func(e *table.Endpoint) bool {
			return addsAnywhere(e) || other.Table.Name == r.Table.Name && describe.NewOperation(e).AddsRows()
		})
	})
}

// addsAnywhere reports whether an endpoint may add rows to any table: by a function, a toggle or a list of rows in its input. The functions
// of package auth add rows of their own tables alone.
func addsAnywhere(e *table.Endpoint) bool {
	verbs := e.Resource.Declaration.Verbs
	switch {
	case !e.IsWrite() || e.Resource.Path == "auth":
		return false
	case e.Kind == declare.VerbDoes, e.Kind == declare.VerbChanges, e.Toggles:
		return true
	case e.Kind == declare.VerbAbsent && e.Bulk == nil:
		return e.File == nil && e.OtherKey == nil && !e.Restores
	case verbs.Get(e.Route.Name).Fill != nil, verbs.Get(e.Route.Name).Then != nil:
		return true
	}
	return e.Input != nil && slices.ContainsFunc(e.Input.Fields, func(f *input.Field) bool { return f.To != "" })
}
