package bind

import (
	"reflect"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/children"
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
		column := bunmodel.ColumnOf(w.Resource.Table, f.GoName)
		switch {
		case f.To != "":
			b.bindList(w, f, fault)
		case column == nil && w.Verb.Fill == nil && w.Resource.Table.Relations[f.GoName] != nil:
			fault(writesRelation(w, f.GoName))
		case column == nil && w.Verb.Fill == nil:
			fault(bunmodel.NoField(w.Verb.In.Name()+"."+f.GoName, f.GoName, w.Resource.Table, w.Resource.Model.Name()))
		case column == nil:
		case children.Unwritable(w.Resource, w.Verb.In, f, column) != nil:
			fault(children.Unwritable(w.Resource, w.Verb.In, f, column))
		case column == w.Resource.Pk && isNaturalKey(w.Resource):
			b.bindNaturalKey(w, f, column, fault)
		case column == w.Resource.Pk && w.Endpoint.Route.Name != call.VerbCreate:
			fault(naming.Sentence("%s.%s writes the primary key; leave it out of what Update and Patch accept", w.Verb.In.Name(), f.GoName))
		case w.Verb.Fill == nil && w.Endpoint.Route.Name != call.VerbPatch && f.LeavesNone():
			fault(children.LeavesNone(w.Verb.In, f))
		default:
			w.Resource.Reserved.AddRules(f, column)
			w.Columns[f.Name] = verb.InputColumn{Input: f, Column: column}
			bindRules(w, w.Columns[f.Name], fault)
			children.CheckReference(w.Resource, w.Verb.In, f, column, fault)
		}
	}
	children.Nested(w.Endpoint.Input, fault)
	listReadOnly(w)
}

// bindList binds a field that sets related rows when all resources are bound.
func (b *binder) bindList(w *verb.Writing, f *input.Field, fault func(error)) {
	if w.Lists == nil {
		w.Lists = &children.Lists{}
	}
	b.later(func() { w.Lists.Bind(w.Endpoint.Endpoint, f, fault) })
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
	w.Resource.Reserved.AddRules(f, column)
	f.Add(rule.Rule{Name: "key"})
	if !f.Required && w.Verb.Fill == nil {
		fault(naming.Sentence("%s.%s is the primary key, which clients choose; tag it `validate:\"required\"`", w.Verb.In.Name(), f.GoName))
	}
	if w.Endpoint.Route.Name != call.VerbCreate {
		w.PathKey = f
		return
	}
	w.Columns[f.Name] = verb.InputColumn{Input: f, Column: column}
	children.CheckReference(w.Resource, w.Verb.In, f, column, fault)
}

// writesRelation is the mistake of an input that has a field for a relation of the model. It
// names what the input can have instead.
func writesRelation(w *verb.Writing, name string) error {
	in, model, relation := w.Verb.In, w.Resource.Model.Name(), w.Resource.Table.Relations[name]
	if relation.Type == schema.BelongsToRelation && len(relation.BasePKs) == 1 {
		return naming.Sentence("%s.%s is a relation of %s, which an input does not write; take its key, %s, tagged `ref:\"...\"` with the viewset of the rows that may be used",
			in.Name(), name, model, relation.BasePKs[0].GoName)
	}
	return naming.Sentence("%s.%s is a relation of %s; tag it `to:\"...\"` with the name of the relation in Relations to set its rows, or write them in a function of framework.FillsThen", in.Name(), name, model)
}
