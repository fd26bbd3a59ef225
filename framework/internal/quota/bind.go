package quota

import (
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// Bind binds the quotas of all viewsets. A quota is about the rows of a table, by whichever viewset they are stored, so
// one viewset of a table declares it.
func Bind(a *table.Registry, report func(r *table.Resource, place string, err error)) {
	a.Quotas = map[string]table.Quota{}
	declared := map[string]*table.Resource{}
	for _, r := range a.Resources {
		rows, fault := r.Declaration.Quota.Rows, func(err error) { report(r, "quota", err) }
		first, owner := declared[r.Table.Name], quotaOwner(r)
		switch {
		case rows == 0:
		case rows < 0:
			fault(naming.Sentence("Rows is %d; it must be 1 or more, or 0 for no limit", rows))
		case first != nil:
			fault(naming.Sentence("%s limits the rows of this table already; leave Quota out here", first.Path))
		case r.Declaration.Single:
			fault(naming.Sentence("a single resource has one row for each caller; leave Quota out"))
		case owner == nil && r.Scope.Kind != declare.ScopeOwn && r.Writers.Kind != declare.ScopeOwn:
			fault(naming.Sentence("the rows have no owner; declare framework.Own as Scope or as Writers, or leave Quota out"))
		case owner == nil: // the mistake of Own is reported
		case owner == r.Pk:
			fault(naming.Sentence("the owner is the primary key, so that each owner has one row; leave Quota out"))
		default:
			declared[r.Table.Name] = r
			a.Quotas[r.Table.Name] = &Quota{Resource: r, Rows: rows, Column: owner}
		}
	}
}

// quotaOwner is the column of the owner by an Own in the scope or, if that is no Own, in Writers; nil without one.
func quotaOwner(r *table.Resource) *schema.Field {
	switch {
	case r.Scope.Kind == declare.ScopeOwn:
		return r.Scope.Column
	case r.Writers.Kind == declare.ScopeOwn:
		return r.Writers.Column
	}
	return nil
}
