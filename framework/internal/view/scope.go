package view

import (
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// relationScope finds the viewset whose scope narrows a relation that a view shows. ref is the
// path of this viewset, "-" for no scope, or empty. The result is nil for "-" and for a viewset
// that is Public. For an empty ref, it is an error if a viewset that is not Public serves the
// related model, and nil without such a viewset. A path that is unknown or serves another model
// is an error too. write is the form of ref in the error, with a verb of fmt for its value.
func relationScope(a *table.Registry, relation *schema.Relation, ref, write string) (*table.Resource, error) {
	if ref == "-" {
		return nil, nil
	}
	if ref == "" {
		for _, r := range a.Resources {
			if r.Model == relation.JoinTable.Type && r.Declaration.Scope.Kind != declare.ScopePublic {
				return nil, naming.Sentence("it shows rows of %s, which has a scope; "+write+" to narrow it by that scope, or "+write+
					" if it is part of the row", r.Path, r.Path, "-")
			}
		}
		return nil, nil
	}
	target, err := a.LookUp(ref)
	if err != nil {
		return nil, err
	}
	if target.Model != relation.JoinTable.Type {
		return nil, naming.Sentence("%q serves %s, the relation leads to %s", ref, target.Model.Name(), relation.JoinTable.Type.Name())
	}
	if target.Declaration.Scope.Kind == declare.ScopePublic {
		return nil, nil
	}
	return target, nil
}
