package view

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/sqldb"
)

// A Computed is a representation that a function computes from a row and its relations.
type Computed struct {
	resource *table.Resource
	model    reflect.Type
	out      reflect.Type
	fn       func(c *call.Call, model any) (any, error)
	ones     []computedOne
	many     []computedMany
	names    *wire.Names // of a list of rows
	mask     *fieldrule.Mask
}

// A computedOne is a to-one relation of the model, which is joined in the same statement.
type computedOne struct{ *relation.Relation }

// A computedMany is a has-many relation of the model. One statement loads it for all rows.
type computedMany struct{ *relation.Relation }

// CompileComputed finds the relations that the function of a verb needs, and reports each
// mistake.
func CompileComputed(r *table.Resource, v declare.Verb, fault func(error)) *Computed {
	p := &Computed{resource: r, model: r.Model, out: v.Out, fn: v.Compute, names: wire.CompileNames(reflect.SliceOf(v.Out), r.API.Config.Case)}
	p.mask = computedMask(r, v.Out)
	for _, name := range v.Load {
		found, err := r.Relations.Base().ByName(name)
		switch {
		case err != nil:
			fault(err)
		case found.Schema.Type == schema.HasManyRelation:
			modelhook.OfSelect().Check(found.Schema.JoinTable.Type, fault)
			p.many = append(p.many, computedMany{found})
		case found.Schema.Type == schema.ManyToManyRelation:
			fault(naming.Sentence("%q is a many-to-many relation, which Computes does not load; show it in a view with the tag from, or load a has-many relation to %q", name, found.Schema.M2MTable.Name))
		default:
			p.ones = append(p.ones, computedOne{found})
		}
	}
	return p
}

// computedMask is the mask of a type that a function computes. A field has the rules of the column
// with its Go name, and of the field with its name for clients.
func computedMask(r *table.Resource, out reflect.Type) *fieldrule.Mask {
	if out.Kind() != reflect.Struct || len(r.Fields) == 0 {
		return nil
	}
	m := fieldrule.NewMask(out)
	for f := range naming.ShapeFields(out) {
		m.Add(f.Index, r.Fields.SeeingMember(f.Name, r.API.Config.Case.JSONName(f))...)
	}
	return m
}

// Hiding implements [scan.Representation].
func (p *Computed) Hiding() *fieldrule.Mask { return p.mask }

func (p *Computed) Write(c *call.Call, q *bun.SelectQuery, w scan.Window) (scan.SentRows, error) {
	models, err := p.models(c, q, w)
	if err != nil {
		return scan.SentRows{}, err
	}
	version := ""
	if models.Len() > 0 { // before the function, which may change the row
		version, _ = w.Version.OfModel(models.Index(0).Elem())
	}
	rows, more, err := p.compute(c, models, w)
	sent, err := encodeRows(p.mask.Hidden(c), p.names, rows, more, err)
	sent.Version = version
	return sent, err
}

// Rows implements [scan.Representation].
func (p *Computed) Rows(c *call.Call, q *bun.SelectQuery, w scan.Window) (reflect.Value, bool, error) {
	models, err := p.models(c, q, w)
	if err != nil {
		return reflect.Value{}, false, err
	}
	return p.compute(c, models, w)
}

// compute loads the related rows of models, and calls the function for each.
func (p *Computed) compute(c *call.Call, models reflect.Value, w scan.Window) (reflect.Value, bool, error) {
	models, more := w.Cut(models)
	for _, m := range p.many {
		if err := m.attach(c, models); err != nil {
			return reflect.Value{}, false, err
		}
	}
	out := reflect.MakeSlice(reflect.SliceOf(p.out), 0, models.Len())
	for i := range models.Len() {
		p.complete(models.Index(i).Elem())
		p.note(c, models.Index(i).Elem())
		p.resource.Link(models.Index(i).Elem())
		one, err := p.fn(c, models.Index(i).Interface())
		if err != nil {
			return reflect.Value{}, false, err
		}
		out = reflect.Append(out, reflect.ValueOf(one))
	}
	p.mask.Hidden(c).Zero(out)
	return out, more, nil
}

// note notes a row and its related rows, if reads of their tables are recorded.
func (p *Computed) note(c *call.Call, row reflect.Value) {
	p.resource.NoteReadModel(c, row)
	for _, one := range p.ones {
		if related := one.Schema.Field.Value(row); related.Kind() != reflect.Pointer || !related.IsNil() {
			p.noteRelated(c, one.Relation, reflect.Indirect(related))
		}
	}
	for _, m := range p.many {
		for _, related := range m.Schema.Field.Value(row).Seq2() {
			p.noteRelated(c, m.Relation, reflect.Indirect(related))
		}
	}
}

func (p *Computed) noteRelated(c *call.Call, r *relation.Relation, row reflect.Value) {
	if t := r.Schema.JoinTable; p.resource.API.Audited(t) {
		p.resource.API.NoteRead(c, t, t.PKs[0].Value(row).Interface())
	}
}

// complete makes the structs that a row and its to-one relations lack, because all their columns are NULL.
func (p *Computed) complete(row reflect.Value) {
	bunmodel.Complete(p.resource.Table, row)
	for _, one := range p.ones {
		if related := one.Schema.Field.Value(row); related.Kind() == reflect.Pointer && !related.IsNil() {
			bunmodel.Complete(one.Schema.JoinTable, related.Elem())
		}
	}
}

// models reads the rows with their to-one relations, as []*M.
func (p *Computed) models(c *call.Call, q *bun.SelectQuery, w scan.Window) (reflect.Value, error) {
	list := reflect.New(reflect.SliceOf(reflect.PointerTo(p.model)))
	q = q.Model(list.Interface())
	for _, one := range p.ones {
		q = q.RelationWithOpts(one.Schema.Field.GoName, one.options(c))
	}
	if _, err := scan.Models(c, q, w); err != nil {
		return reflect.Value{}, err
	}
	return list.Elem(), nil
}

func (o computedOne) options(c *call.Call) bun.RelationOpts {
	if !o.Narrowed(c) {
		return bun.RelationOpts{}
	}
	return bun.RelationOpts{AdditionalJoinOnConditions: []schema.QueryWithArgs{
		bun.SafeQuery("?.? IN (?)", bun.Ident(o.Schema.Field.Name), bun.Ident(o.Target.PrimaryKey().Column.Name), o.Target.ScopedKeys(c)),
	}}
}

func (m computedMany) attach(c *call.Call, models reflect.Value) error {
	base, foreign := m.Schema.BasePKs[0], m.Schema.JoinPKs[0]
	parents := map[any][]reflect.Value{}
	keys := []any{}
	for i := range models.Len() {
		parent := models.Index(i).Elem()
		key := keyOf(base.Value(parent))
		parents[key] = append(parents[key], parent)
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil
	}
	children := reflect.New(reflect.SliceOf(reflect.PointerTo(m.Schema.JoinTable.Type)))
	q := m.Rows(c).Model(children.Interface()).
		Where("?TableAlias.? IN (?)", bun.Ident(foreign.Name), sqldb.List(keys)).
		OrderExpr("?TableAlias.?", bun.Ident(m.Schema.JoinTable.PKs[0].Name))
	if _, err := scan.Models(c, q, scan.Window{}); err != nil {
		return err
	}
	owners, err := m.owners(c, children.Elem(), keys)
	if err != nil {
		return err
	}
	for i := range owners {
		child := children.Elem().Index(i)
		bunmodel.Complete(m.Schema.JoinTable, child.Elem())
		if m.Schema.Field.StructField.Type.Elem().Kind() != reflect.Pointer {
			child = child.Elem()
		}
		for _, owner := range owners[i] {
			for _, parent := range parents[owner] {
				field := m.Schema.Field.Value(parent)
				field.Set(reflect.Append(field, child))
			}
		}
	}
	return nil
}

// owners returns the keys of the owners of each row.
func (m computedMany) owners(c *call.Call, rows reflect.Value, keys []any) ([][]any, error) {
	foreign, pks := m.Schema.JoinPKs[0], m.Schema.JoinTable.PKs
	found, owners := make([]any, rows.Len()), make([][]any, rows.Len())
	for i := range found {
		found[i] = keyOf(foreign.Value(rows.Index(i).Elem()))
		owners[i] = found[i : i+1]
	}
	if !isText(m.Schema.BasePKs[0], foreign) || !mayDiffer(found, keys) {
		return owners, nil
	}
	compared, err := compareOwners(c, m.Relation, rows, keys)
	for i := range owners {
		key := make([]any, len(pks))
		for j, pk := range pks {
			key[j] = keyOf(pk.Value(rows.Index(i).Elem()))
		}
		owners[i] = compared[identify(key)]
	}
	return owners, err
}

// ColumnsOf passes all columns of the relations to use, because bun selects all of them. It
// passes no columns of the model.
func (p *Computed) ColumnsOf(use func(*schema.Table, ...*schema.Field)) {
	for _, one := range p.ones {
		use(one.Schema.JoinTable, one.Schema.JoinTable.Fields...)
	}
	for _, m := range p.many {
		use(m.Schema.JoinTable, m.Schema.JoinTable.Fields...)
	}
}
