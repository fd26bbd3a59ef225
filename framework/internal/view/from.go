package view

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// addFrom adds a field with the tag from: related rows, a column of them, or a function of them.
func (p *Plan) addFrom(base relation.Base, out reflect.Type, f reflect.StructField, tag string, index []int, join int, report func(error)) {
	fault := func(err error) { report(naming.Sentence("%s.%s: from %q: %w", out.Name(), f.Name, tag, err)) }
	from, err := readFrom(base, tag, f.Tag.Get("ref"))
	if err != nil {
		fault(err)
		return
	}
	p.mask.Add(index, base.SeeingFrom(from)...)
	switch at := slices.IndexFunc(from.Path, (*relation.Relation).ToMany); {
	case from.Function != nil:
		p.addFunction(from.Function, f, index, join, fault)
	case at < 0 && from.Column != nil:
		p.addColumn(from.Path, *from.Column, f.Type, index, join, fault)
	case from.Column == nil && (at < 0 && len(from.Path) > 1 || at >= 0 && at < len(from.Path)-1):
		fault(naming.Sentence("it leads over several relations to rows; show %q in the view of the rows before it", from.Path[len(from.Path)-1].Name))
	default:
		if at > 0 { // the relations before the list
			join = p.joinPath(from.Path[:at], join)
			from.Path = from.Path[at:]
		}
		options := p.listOptions(from, fault)
		if from.Column == nil {
			p.showRows(from.Path[0], f, index, p.aliasOf(join), join, options, report)
			return
		}
		p.addList(from, f.Type, index, join, options, fault)
	}
}

// readFrom reads a tag from. The tag ref names the viewset whose scope applies to its first relation,
// which need not be listed then.
func readFrom(base relation.Base, tag, ref string) (from relation.From, err error) {
	if ref != "" {
		if base, err = base.Override(tag, ref); err != nil {
			return from, err
		}
	}
	from, err = base.ReadFrom(tag)
	if err == nil && ref != "" && (len(from.Path) != 1 || from.Function != nil) {
		err = naming.Sentence("the tag ref is for the rows or a column of one relation; leave it out")
	}
	return from, err
}

// listOptions binds the order of a list to the columns of the related rows.
func (p *Plan) listOptions(from relation.From, fault func(error)) listOptions {
	end := from.Path[0].Base()
	options := listOptions{limit: from.Limit, order: ordering.Terms(end, from.Order, fault)}
	for _, t := range options.order {
		if rules := end.Seeing(t.Field); len(rules) > 0 {
			fault(naming.Sentence("the order shows values of %q, which only some callers see; order by another field", rules[0].Name))
		}
	}
	return options
}

// addFunction adds the value of a function of related rows.
func (p *Plan) addFunction(fn *relation.Function, f reflect.StructField, index []int, join int, fault func(error)) {
	if !fn.Fits(f.Type) {
		fault(naming.Sentence("the field is %s; make it %s", f.Type, fn.Type))
		return
	}
	p.compute(index, join, f.Type, fn.SQL)
}

// compute adds a value of an expression.
func (p *Plan) compute(index []int, join int, t reflect.Type, sql func(*call.Call, string) schema.QueryAppender) {
	column := &schema.Field{StructField: reflect.StructField{Type: t}, IndirectType: naming.Indirect(t), Scan: schema.Scanner(t)}
	p.computed = append(p.computed, computedLeaf{leaf: leaf{index: index, column: column, join: join}, alias: p.aliasOf(join), sql: sql})
}

// addColumn adds a column at the end of a path of to-one relations.
func (p *Plan) addColumn(path relation.Path, field query.Field, t reflect.Type, index []int, join int, fault func(error)) {
	if !p.fits(path, field, t, fault) {
		return
	}
	join = p.joinPath(path, join)
	if field.Expression != nil {
		p.compute(index, join, t, path.Computed(field.Expression))
		return
	}
	modelhook.CheckScan(p.tableOf(join), fault)
	column := *field.Column
	if t != column.StructField.Type {
		column.Scan = schema.PtrScanner(column.Scan)
	}
	p.leaves = append(p.leaves, leaf{index: index, column: &column, join: join})
}

// fits reports whether values of a column can be shown in fields of a type: that of the column or,
// where the value may be missing, a pointer to it.
func (p *Plan) fits(path relation.Path, field query.Field, t reflect.Type, fault func(error)) bool {
	null := field.Expression != nil || field.Column.IsPtr || slices.ContainsFunc(path, (*relation.Relation).MayMiss)
	switch {
	case field.Type == table.FileType:
		fault(naming.Sentence("it is a file; show it in the view of its row"))
	case naming.Indirect(t) != field.Type:
		fault(naming.Sentence("the field is %s, but %q is %s", t, field.Name, field.Type))
	case null && t.Kind() != reflect.Pointer:
		fault(naming.Sentence("%q may be missing; show it as *%s", field.Name, t))
	default:
		return true
	}
	return false
}

// joinPath joins the rows of a path of to-one relations. It returns the number of the last join.
func (p *Plan) joinPath(path relation.Path, join int) int {
	for _, r := range path {
		join = p.joinFlat(r, join)
	}
	return join
}

// joinFlat joins the related row of a relation, once for all its single columns. It returns the
// number of the join.
func (p *Plan) joinFlat(r *relation.Relation, join int) int {
	base := p.aliasOf(join)
	alias := relation.Alias(base, r.Schema.Field.GoName) + "__"
	for i, j := range p.joins {
		switch {
		case !j.flat || j.base != base || j.relation.Schema != r.Schema:
		case j.relation.Target == r.Target:
			return i + 1
		default: // the same rows with another scope
			alias = relation.Alias(j.alias, r.Schema.Field.GoName) + "__"
		}
	}
	p.joins = append(p.joins, planJoin{flat: true, relation: r, base: base, alias: alias})
	return len(p.joins)
}

// tableOf is a joined table, or that of the row itself for join 0.
func (p *Plan) tableOf(join int) *schema.Table {
	if join == 0 {
		return p.table
	}
	return p.joins[join-1].relation.Base().Table()
}

// addList adds a list of one column of related rows.
func (p *Plan) addList(from relation.From, list reflect.Type, index []int, join int, options listOptions, fault func(error)) {
	switch {
	case list.Kind() != reflect.Slice:
		fault(naming.Sentence("the field must be a slice: %q leads to several rows", from.Path[0].Name))
		return
	case from.Path[1:].ToMany():
		fault(naming.Sentence("it leads over two relations to several rows; show the second in the view of the rows of the first"))
		return
	}
	modelhook.OfSelect().Check(from.Path[0].Schema.JoinTable.Type, fault)
	end := from.Path[0].Base()
	child := &Plan{api: p.api, out: list.Elem(), table: end.Table(), alias: end.Table().Alias}
	child.addColumn(from.Path[1:], *from.Column, list.Elem(), nil, 0, fault)
	child.trace()
	child.columns = child.selected()
	p.addMany(planMany{index: index, join: join, relation: from.Path[0], child: child, listOptions: options})
}
