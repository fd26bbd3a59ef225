package children

import (
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// keeperOf returns the resource that stores the rows of a relation: its viewset, or else the first
// viewset of the model. If no viewset serves the model, it returns a resource of its own.
func keeperOf(r *table.Resource, related *relation.Relation) *table.Resource {
	if target := targetOf(related); target != nil {
		return target
	}
	model := related.Schema.JoinTable
	for _, other := range r.API.Resources {
		if other.Model == model.Type {
			return other
		}
	}
	return unserved(r, related.Name, model, rowKey(related))
}

// targetOf returns the viewset whose scope narrows a relation, nil if the rows are part of the row.
func targetOf(related *relation.Relation) *table.Resource {
	target, _ := related.Target.(*table.Resource)
	return target
}

// unserved returns a resource that stores rows of a model without a viewset. Its path is that of
// the parent with the name of the relation. It adds the table to those that the parent stores rows in.
func unserved(r *table.Resource, name string, model *schema.Table, key *schema.Field) *table.Resource {
	public := table.BoundScope{Scope: declare.Scope{Kind: declare.ScopePublic}}
	rows := &table.Resource{
		API: r.API, Declaration: &declare.Declaration{Scope: public.Scope}, Path: r.Path + "." + name,
		Model: model.Type, Table: model, Pk: key, Key: key, Names: map[string]query.Field{}, Scope: public, Writers: public.AsWriters(),
		Created: bunmodel.TimeColumn(model, "CreatedAt"), Updated: bunmodel.TimeColumn(model, "UpdatedAt"),
	}
	r.Stores = append(r.Stores, model)
	rows.Inserting = sqldb.NewTemplate(func(v sqldb.Values) schema.QueryAppender { return store.InsertWhole(rows, v) })
	return rows
}

// mayNarrow reports whether a viewset lets a caller see rows that the caller may not change.
func mayNarrow(target *table.Resource) bool {
	return target != nil && (target.MayNarrow() || target.HasWriters())
}
