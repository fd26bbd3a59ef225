package table

import (
	"maps"
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/query"
)

// OpenRelations gives a resource an empty set of relations. Its fields have names already.
func (r *Resource) OpenRelations() {
	r.Relations = relation.NewSet(r.API, r, r.Path, r.Table, slices.Collect(maps.Keys(r.Names)))
}

// BindRelations adds the declared relations and expressions, and reports each mistake.
func (r *Resource) BindRelations(fault func(place string, err error)) {
	r.Relations.Bind(r.Declaration.Relations, func(err error) { fault("relations", err) })
	for _, name := range slices.Sorted(maps.Keys(r.Declaration.Expressions)) {
		e := r.Declaration.Expressions[name]
		if err := r.Relations.AddExpression(name, e.Result, e.Text, e.Values); err != nil {
			fault("expressions", naming.Sentence("%q: %w", name, err))
		}
	}
}

// RelationsOf implements [relation.Viewset].
func (r *Resource) RelationsOf() *relation.Set { return r.Relations }

// FieldRules implements [relation.Viewset].
func (r *Resource) FieldRules() fieldrule.Set { return r.Fields }

// ScopedRows starts a query of the rows that are in scope when the caller lists the resource.
func (r *Resource) ScopedRows(c *call.Call) *bun.SelectQuery { return r.Rows(r.Looking(c)) }

// MayNarrow reports whether the scope, or a viewset above, may hide rows from a caller.
func (r *Resource) MayNarrow() bool {
	return r.Declaration.Scope.Kind != declare.ScopePublic || r.Above != nil
}

// Owner implements [relation.Viewset]. The owner is that of framework.Own, in the scope or else in
// Writers.
func (r *Resource) Owner() *schema.Field {
	owners := r.Owners()
	if len(owners) == 0 {
		return nil
	}
	return owners[0]
}

// FieldAt finds a field, a declared expression, or a column of a related row by its path.
func (r *Resource) FieldAt(path string) (query.Field, error) {
	return r.Relations.Base().FieldAt(path)
}

// Relation finds the rows that a path of relations leads to.
func (r *Resource) Relation(path string) (query.Source, query.RelatedRows, error) {
	return r.Relations.Base().Relation(path)
}

// CheckReference returns the mistake of a column that a declaration takes for a reference to the primary key of another
// viewset, if the relations of the models say otherwise.
func (r *Resource) CheckReference(column *schema.Field, to *Resource) error {
	return bunmodel.CheckReference(bunmodel.Column{Table: r.Table, Field: column}, bunmodel.Column{Table: to.Table, Field: to.Pk}, to.Path)
}

// Viewset implements [relation.Registry].
func (a *Registry) Viewset(path string) (relation.Viewset, reflect.Type, error) {
	r, err := a.LookUp(path)
	if err != nil {
		return nil, nil, err
	}
	return r, r.Model, nil
}

// Serving implements [relation.Registry].
func (a *Registry) Serving(model reflect.Type) (paths []string) {
	for _, r := range a.Resources {
		if r.Model == model {
			paths = append(paths, r.Path)
		}
	}
	return paths
}
