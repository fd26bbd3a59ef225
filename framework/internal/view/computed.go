package view

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
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
}

type computedOne struct {
	relation *schema.Relation
	scope    *table.Resource
}

// A computedMany is a has-many relation of the model. One statement loads it for all rows.
type computedMany struct {
	relation *schema.Relation
	scope    *table.Resource
}

// CompileComputed finds the relations that the function of a verb needs, and reports each
// mistake.
func CompileComputed(r *table.Resource, v declare.Verb, fault func(error)) *Computed {
	p := &Computed{resource: r, model: r.Model, out: v.Out, fn: v.Compute}
	for _, entry := range v.Load {
		name, ref, _ := strings.Cut(entry, ":")
		relation := r.Table.Relations[name]
		if relation == nil {
			fault(naming.Sentence("no relation %q in %s%s", name, r.Model.Name(), naming.DidYouMean(name, table.RelationNames(r.Table))))
			continue
		}
		if err := plainKeys(relation); err != nil {
			fault(naming.Sentence("%s: %w", name, err))
			continue
		}
		scope, err := relationScope(r.API, relation, ref, `write "`+name+`:%s"`)
		if err != nil {
			fault(naming.Sentence("%s: %w", name, err))
			continue
		}
		switch relation.Type {
		case schema.HasManyRelation:
			p.many = append(p.many, computedMany{relation, scope})
		case schema.ManyToManyRelation:
			fault(naming.Sentence("%s: many-to-many relations are not loaded; declare has-many on the joining table", name))
		default:
			p.ones = append(p.ones, computedOne{relation, scope})
		}
	}
	return p
}

func (p *Computed) Write(c *call.Call, q *bun.SelectQuery, w table.Window) (table.SentRows, error) {
	return encodeRows(p.Rows(c, q, w))
}

// Rows implements [table.Representation].
func (p *Computed) Rows(c *call.Call, q *bun.SelectQuery, w table.Window) (reflect.Value, bool, error) {
	models, err := p.models(c, q, w)
	if err != nil {
		return reflect.Value{}, false, err
	}
	models, more := w.Cut(models)
	for _, m := range p.many {
		if err := m.attach(c, models); err != nil {
			return reflect.Value{}, false, err
		}
	}
	out := reflect.MakeSlice(reflect.SliceOf(p.out), 0, models.Len())
	for i := range models.Len() {
		p.resource.Link(models.Index(i).Elem())
		one, err := p.fn(c, models.Index(i).Interface())
		if err != nil {
			return reflect.Value{}, false, err
		}
		out = reflect.Append(out, reflect.ValueOf(one))
	}
	return out, more, nil
}

// models reads the rows with their to-one relations, as []*M.
func (p *Computed) models(c *call.Call, q *bun.SelectQuery, w table.Window) (reflect.Value, error) {
	list := reflect.New(reflect.SliceOf(reflect.PointerTo(p.model)))
	q = q.Model(list.Interface())
	for _, one := range p.ones {
		q = q.RelationWithOpts(one.relation.Field.GoName, one.options(c))
	}
	if _, err := table.ScanModels(c, q, w); err != nil {
		return reflect.Value{}, err
	}
	return list.Elem(), nil
}

func (o computedOne) options(c *call.Call) bun.RelationOpts {
	if o.scope == nil || !o.scope.Narrowed(c) {
		return bun.RelationOpts{}
	}
	return bun.RelationOpts{AdditionalJoinOnConditions: []schema.QueryWithArgs{
		bun.SafeQuery("?.? IN (?)", bun.Ident(o.relation.Field.Name), bun.Ident(o.scope.Pk.Name), o.scope.ScopedKeys(c)),
	}}
}

func (m computedMany) attach(c *call.Call, models reflect.Value) error {
	base, foreign := m.relation.BasePKs[0], m.relation.JoinPKs[0]
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
	children := reflect.New(reflect.SliceOf(reflect.PointerTo(m.relation.JoinTable.Type)))
	q := c.DB.NewSelect().Model(children.Interface()).
		Where("?TableAlias.? IN (?)", bun.Ident(foreign.Name), sqldb.List(keys)).
		OrderExpr("?TableAlias.?", bun.Ident(m.relation.JoinTable.PKs[0].Name))
	if m.scope != nil && m.scope.Narrowed(c) {
		q = q.Where("?TableAlias.? IN (?)", bun.Ident(m.scope.Pk.Name), m.scope.ScopedKeys(c))
	}
	if _, err := table.ScanModels(c, q, table.Window{}); err != nil {
		return err
	}
	for i := range children.Elem().Len() {
		child := children.Elem().Index(i)
		owner := keyOf(foreign.Value(child.Elem()))
		if m.relation.Field.StructField.Type.Elem().Kind() != reflect.Pointer {
			child = child.Elem()
		}
		for _, parent := range parents[owner] {
			field := parent.FieldByIndex(m.relation.Field.Index)
			field.Set(reflect.Append(field, child))
		}
	}
	return nil
}

// ColumnsOf passes all columns of the relations to use, because bun selects all of them. It
// passes no columns of the model.
func (p *Computed) ColumnsOf(use func(*schema.Table, ...*schema.Field)) {
	for _, one := range p.ones {
		use(one.relation.JoinTable, one.relation.JoinTable.Fields...)
	}
	for _, m := range p.many {
		use(m.relation.JoinTable, m.relation.JoinTable.Fields...)
	}
}
