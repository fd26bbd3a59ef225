// Package toggle inserts and deletes the caller's own row of a relation, for likes, follows and
// stars.
package toggle

import (
	"strconv"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
)

// Bind finds the relation of a declared toggle, and the column with the caller's id. It reports
// each mistake, and returns nil if one is about the relation or the column.
func Bind(r *table.Resource, declared *declare.Toggle, fault func(error)) *Toggle {
	rel, err := r.Relations.Base().ByName(declared.Relation)
	if err != nil {
		fault(err)
		return nil
	}
	t := &Toggle{object: r, base: rel.Schema.BasePKs[0]}
	switch rel.Schema.Type {
	case schema.HasManyRelation:
		t.Row, t.rows = rel.Schema.JoinPKs[0], storing(r, rel, rel.Target, rel.Schema.JoinTable)
	case schema.ManyToManyRelation:
		t.Row, t.rows = rel.Schema.M2MBasePKs[0], storing(r, rel, nil, rel.Schema.M2MTable)
	default:
		fault(naming.Sentence("%q leads to one row; a toggle needs a has-many or a many-to-many relation", rel.Name))
		return nil
	}
	owner, err := relation.ColumnNamed(t.rows.Table, declared.Owner)
	if err == nil {
		t.Owner, err = owner.Column, t.check(rel, owner.Column)
	}
	if err != nil {
		fault(err)
		return nil
	}
	modelhook.OfInsert().Check(t.rows.Model, fault)
	modelhook.OfDelete().Check(t.rows.Model, fault)
	return t
}

// storing returns the resource that stores the callers' rows: the viewset of the relation or, for
// rows that no viewset serves, one that is not registered. Its path, for the recorder, is that of the
// object with the name of the relation.
func storing(r *table.Resource, rel *relation.Relation, target relation.Viewset, model *schema.Table) *table.Resource {
	if known, ok := target.(*table.Resource); ok {
		return known
	}
	own := &table.Resource{
		API: r.API, Declaration: &declare.Declaration{}, Path: r.Path + "." + rel.Name, Model: model.Type, Table: model,
		Created: bunmodel.TimeColumn(model, "CreatedAt"), Updated: bunmodel.TimeColumn(model, "UpdatedAt"),
	}
	own.Scope.Kind = declare.ScopePublic
	if len(model.PKs) > 0 {
		own.Pk = model.PKs[0]
	}
	return own
}

// check returns the mistake in a toggle whose rows have the caller's id in a column.
func (t *Toggle) check(rel *relation.Relation, owner *schema.Field) error {
	model, ids := t.rows.Model.Name(), t.object.API.CallerID
	switch {
	case t.rows.Pk == nil:
		return naming.Sentence("%s has no primary key; tag one with `bun:\",pk\"`", model)
	case t.base.IsPtr:
		return naming.Sentence("the rows of %q refer to %s, which may be null; a toggle needs a column that every row has, such as the primary key",
			rel.Name, strconv.Quote(t.base.Name))
	case t.rows.Table.SoftDeleteField != nil:
		return naming.Sentence("the rows of %q are deleted softly, but a toggle deletes them; remove soft_delete from %s", rel.Name, model)
	case ids != nil && owner.IndirectType != ids:
		return naming.Sentence("%s.%s is %s, but the ids of callers are %s; name the column with the caller's id", model, owner.GoName, owner.IndirectType, ids)
	case t.rows.Above != nil && t.rows.Above.Column != t.Row:
		return naming.Sentence("the rows of %q are below rows of %s, and a toggle does not name those; create the rows at %s",
			rel.Name, t.rows.Above.Parent.Path, t.rows.Path)
	case owner == t.Row:
		return naming.Sentence("%s.%s refers to the object; name the column with the caller's id", model, owner.GoName)
	case rel.Schema.Type == schema.ManyToManyRelation && owner != rel.Schema.M2MJoinPKs[0]:
		return naming.Sentence("%s.%s does not refer to the rows of %q; name %s, which does", model, owner.GoName, rel.Name, rel.Schema.M2MJoinPKs[0].GoName)
	}
	return nil
}
