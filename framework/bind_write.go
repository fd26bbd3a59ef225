package framework

import (
	"reflect"

	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
)

// bindWriting matches the input's fields to the model's.
func (b *binder) bindWriting(w *writing, fault func(error)) {
	w.columns, w.readOnly = map[string]inputColumn{}, map[string]bool{}
	w.checks = reflect.PointerTo(w.verb.in).Implements(reflect.TypeFor[input.Checker]())
	for _, f := range w.endpoint.input.Fields {
		column := columnOf(w.resource.table, f.GoName)
		switch {
		case column == nil && w.verb.fill == nil && w.resource.table.Relations[f.GoName] != nil:
			fault(writesRelation(w.verb.in, f.GoName, w.resource.table.Relations[f.GoName]))
		case column == nil && w.verb.fill == nil:
			fault(noField(w.verb.in.Name()+"."+f.GoName, f.GoName, w.resource.table, w.resource.model.Name()))
		case column == nil:
		case column.StructField.Type != f.Typ:
			fault(twoTypes(w.verb.in, f.GoName, f.Typ, column))
		case column == w.resource.pk && w.endpoint.route.Name != verbCreate:
			fault(naming.Sentence("%s.%s writes the primary key; leave it out of what Update and Patch accept", w.verb.in.Name(), f.GoName))
		case column == w.resource.created || column == w.resource.updated:
			fault(naming.Sentence("%s.%s writes a time that the framework stamps; leave it out", w.verb.in.Name(), f.GoName))
		case w.resource.search != nil && w.resource.search.storedField != nil && column == w.resource.search.storedField.Column:
			fault(naming.Sentence("%s.%s writes the stored search document, which the framework fills; leave it out", w.verb.in.Name(), f.GoName))
		case column == w.resource.scope.column && w.resource.scope.kind == scopeOwn:
			fault(naming.Sentence("%s.%s writes the owner, which the scope stamps; leave it out, or set it in a function of Fills", w.verb.in.Name(), f.GoName))
		case w.verb.fill == nil && w.endpoint.route.Name != verbPatch && f.LeavesNone():
			fault(naming.Sentence("%s.%s may be absent and would be stored as %#v then, which is no %s; make it required or a pointer, or give it a default",
				w.verb.in.Name(), f.GoName, reflect.Zero(f.Typ), f.Typ))
		default:
			w.resource.reserve(f, column)
			w.columns[f.Name] = inputColumn{input: f, column: column}
			b.checkReference(w.resource, w.verb.in, f, column, fault)
		}
	}
	if w.verb.out.Kind() != reflect.Struct {
		return
	}
	for f := range naming.ShapeFields(w.verb.out) {
		if name := naming.JSONName(f); w.endpoint.input.ByName[name] == nil {
			w.readOnly[name] = true
		}
	}
}

// writesRelation says what an input has in the place of a relation.
func writesRelation(in reflect.Type, name string, relation *schema.Relation) error {
	model := relation.Field.Table.Type.Name()
	if relation.Type == schema.BelongsToRelation && len(relation.BasePKs) == 1 {
		return naming.Sentence("%s.%s is a relation of %s, which an input does not write; take its key, %s, tagged `ref:\"...\"` with the viewset of the rows that may be used",
			in.Name(), name, model, relation.BasePKs[0].GoName)
	}
	return naming.Sentence("%s.%s is a relation of %s, which an input does not write; write its rows in a function of framework.Fills", in.Name(), name, model)
}

// checkReference sees that a foreign key names the viewset it leads to.
func (b *binder) checkReference(r *resource, in reflect.Type, f *input.Field, column *schema.Field, fault func(error)) {
	if r.scope.kind == scopeVia && column == r.scope.column && f.Ref == "" {
		fault(naming.Sentence("%s.%s decides whose the row is; tag it `ref:%q`", in.Name(), f.GoName, r.scope.target))
		return
	}
	for _, relation := range r.table.Relations {
		if relation.Type == schema.BelongsToRelation && relation.BasePKs[0] == column && f.Ref == "" {
			to := relation.JoinTable.Type.Name()
			fault(naming.Sentence("%s.%s refers to %s and names no viewset; tag it `ref:\"...\"` with the one whose rows may be used", in.Name(), f.GoName, to))
		}
	}
}
