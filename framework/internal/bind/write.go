package bind

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
)

// bindWriting matches each field of the input with the column of the same Go name, and reports
// fields that cannot be written and foreign keys without a tag ref. With a function of Fills, a
// field needs no column. It adds the rules for reserved values to the fields, and lists the
// fields of the output that the input lacks.
func (b *binder) bindWriting(w *verb.Writing, fault func(error)) {
	w.Columns, w.ReadOnly = map[string]verb.InputColumn{}, map[string]bool{}
	w.Checks = reflect.PointerTo(w.Verb.In).Implements(reflect.TypeFor[input.Checker]())
	for _, f := range w.Endpoint.Input.Fields {
		column := table.ColumnOf(w.Resource.Table, f.GoName)
		switch {
		case column == nil && w.Verb.Fill == nil && w.Resource.Table.Relations[f.GoName] != nil:
			fault(writesRelation(w.Verb.In, f.GoName, w.Resource.Table.Relations[f.GoName]))
		case column == nil && w.Verb.Fill == nil:
			fault(table.NoField(w.Verb.In.Name()+"."+f.GoName, f.GoName, w.Resource.Table, w.Resource.Model.Name()))
		case column == nil:
		case column.StructField.Type == table.FileType:
			fault(naming.Sentence("%s.%s is a file, which clients store at a path of its own; declare it in Files, and leave it out", w.Verb.In.Name(), f.GoName))
		case column.StructField.Type != f.Typ:
			fault(table.TwoTypes(w.Verb.In, f.GoName, f.Typ, column))
		case column == w.Resource.Pk && isNaturalKey(w.Resource):
			b.bindNaturalKey(w, f, column, fault)
		case column == w.Resource.Pk && w.Endpoint.Route.Name != call.VerbCreate:
			fault(naming.Sentence("%s.%s writes the primary key; leave it out of what Update and Patch accept", w.Verb.In.Name(), f.GoName))
		case column == w.Resource.Created || column == w.Resource.Updated:
			fault(naming.Sentence("%s.%s writes a time that the framework stamps; leave it out", w.Verb.In.Name(), f.GoName))
		case w.Resource.Search != nil && w.Resource.Search.StoredField != nil && column == w.Resource.Search.StoredField.Column:
			fault(naming.Sentence("%s.%s writes the stored search document, which the framework fills; leave it out", w.Verb.In.Name(), f.GoName))
		case w.Resource.Slug != nil && column == w.Resource.Slug.Field.Column:
			fault(naming.Sentence("%s.%s writes the slug, which the framework makes from %s; leave it out", w.Verb.In.Name(), f.GoName, w.Resource.Slug.From.GoName))
		case slices.Contains(w.Resource.Owners(), column):
			fault(naming.Sentence("%s.%s writes the owner, which the scope stamps; leave it out, or set it in a function of Fills", w.Verb.In.Name(), f.GoName))
		case w.Verb.Fill == nil && w.Endpoint.Route.Name != call.VerbPatch && f.LeavesNone():
			fault(naming.Sentence("%s.%s may be absent and would be stored as %#v then, which is no %s; make it required or a pointer, or give it a default",
				w.Verb.In.Name(), f.GoName, reflect.Zero(f.Typ), f.Typ))
		default:
			w.Resource.Reserve(f, column)
			w.Columns[f.Name] = verb.InputColumn{Input: f, Column: column}
			bindRules(w, w.Columns[f.Name], fault)
			b.checkReference(w.Resource, w.Verb.In, f, column, fault)
		}
	}
	listReadOnly(w)
}

// listReadOnly lists the fields of the output that the input lacks.
func listReadOnly(w *verb.Writing) {
	if w.Verb.Out.Kind() != reflect.Struct {
		return
	}
	for f := range w.Resource.API.Config.Case.Fields(w.Verb.Out) {
		if name := naming.JSONName(f); w.Endpoint.Input.ByName[name] == nil {
			w.ReadOnly[name] = true
		}
	}
}

// isNaturalKey reports whether clients choose the primary key: it is a text, and it is in the paths of
// rows.
func isNaturalKey(r *table.Resource) bool {
	return r.Key == r.Pk && !r.Pk.IsPtr && r.Pk.IndirectType.Kind() == reflect.String && !r.Declaration.Single
}

// bindNaturalKey binds the field of an input that has the primary key. Create writes it, by the rule
// key. For Update and Patch, it must be the key of the path. The field must be required, because a row
// with an empty key has no path; a function of Fills may set it instead.
func (b *binder) bindNaturalKey(w *verb.Writing, f *input.Field, column *schema.Field, fault func(error)) {
	w.Resource.Reserve(f, column)
	f.Add(rule.Rule{Name: "key"})
	if !f.Required && w.Verb.Fill == nil {
		fault(naming.Sentence("%s.%s is the primary key, which clients choose; tag it `validate:\"required\"`", w.Verb.In.Name(), f.GoName))
	}
	if w.Endpoint.Route.Name != call.VerbCreate {
		w.PathKey = f
		return
	}
	w.Columns[f.Name] = verb.InputColumn{Input: f, Column: column}
	b.checkReference(w.Resource, w.Verb.In, f, column, fault)
}

// writesRelation is the mistake of an input that has a field for a relation of the model. It
// names what the input can have instead.
func writesRelation(in reflect.Type, name string, relation *schema.Relation) error {
	model := relation.Field.Table.Type.Name()
	if relation.Type == schema.BelongsToRelation && len(relation.BasePKs) == 1 {
		return naming.Sentence("%s.%s is a relation of %s, which an input does not write; take its key, %s, tagged `ref:\"...\"` with the viewset of the rows that may be used",
			in.Name(), name, model, relation.BasePKs[0].GoName)
	}
	return naming.Sentence("%s.%s is a relation of %s, which an input does not write; write its rows in a function of framework.Fills", in.Name(), name, model)
}

// checkReference reports an input's field for a foreign key if it has no tag ref. The tag names
// the viewset whose rows the client may refer to.
func (b *binder) checkReference(r *table.Resource, in reflect.Type, f *input.Field, column *schema.Field, fault func(error)) {
	if r.Scope.Kind == declare.ScopeVia && column == r.Scope.Column && f.Ref == "" {
		fault(naming.Sentence("%s.%s decides whose the row is; tag it `ref:%q`", in.Name(), f.GoName, r.Scope.Target))
		return
	}
	for _, relation := range r.Table.Relations {
		if relation.Type == schema.BelongsToRelation && relation.BasePKs[0] == column && f.Ref == "" {
			to := relation.JoinTable.Type.Name()
			fault(naming.Sentence("%s.%s refers to %s and names no viewset; tag it `ref:\"...\"` with the one whose rows may be used", in.Name(), f.GoName, to))
		}
	}
}
