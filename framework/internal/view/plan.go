package view

import (
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Plan is a view type that is compiled for a model: the columns to select, the relations
// to join or load, and the output field of each value. It is made once and is safe for
// concurrent use.
type Plan struct {
	api       *table.Registry
	out       reflect.Type
	table     *schema.Table
	alias     string
	columns   string // qualified and quoted, for SELECT
	Returning string // unqualified and quoted, for RETURNING; "" unless flat
	leaves    []leaf
	computed  []computedLeaf
	joins     []planJoin
	many      []planMany
	files     []planFile
	traces    []planTrace
	resource  *table.Resource // the viewset of the plan, nil for the rows of a relation
	within    []reflect.Type  // the views that are compiled, from the outermost
	names     *wire.Names     // of a list of rows
	mask      *fieldrule.Mask // of out; nil if out is no struct
	Writer    *rowWriter      // writes JSON straight from the columns; nil if that is not possible
}

// A leaf is a selected column and its field in the output.
type leaf struct {
	index  []int // of the field in out
	column *schema.Field
	join   int  // the number of its join, from 1; 0 for the row itself
	key    bool // not shown: it is null if its join found no row
	hidden bool // not shown: it is the key of the row in the URLs of its files, or in the record of its reads
}

// A computedLeaf is a field of the output whose value an expression of SQL computes. It is selected
// after the columns.
type computedLeaf struct {
	leaf

	alias string // of the table that the expression is about
	sql   func(c *call.Call, alias string) schema.QueryAppender
}

// A planFile is a file that the view shows with its URL.
type planFile struct {
	index []int // of the field in out
	file  *table.FileColumn
	keys  []int // of the leaves with the keys in its path
	join  int   // the number of its join, from 1; 0 for the row itself
}

// A planJoin is a to-one relation, which is joined in the same statement.
type planJoin struct {
	index    []int // of the embedded struct in out
	flat     bool  // the view has single columns of the related row, and no struct
	pointer  bool
	relation *relation.Relation
	alias    string
	base     string // alias of the table that has the relation
	unused   bool   // nothing that is left of the plan needs it
}

// CompilePlan matches the fields of out to those of the model. It calls fault for each mistake,
// with a sentence that does not name the viewset. base is the rows that are shown; their files
// have the URLs of their viewset.
func CompilePlan(api *table.Registry, base relation.Base, out reflect.Type, fault func(error)) *Plan {
	return (&Plan{api: api}).below(base, out, fault)
}

// below compiles the plan of a view that is shown inside the views of p.
func (p *Plan) below(base relation.Base, out reflect.Type, fault func(error)) *Plan {
	child := &Plan{api: p.api, out: out, table: base.Table(), alias: base.Table().Alias, resource: viewsetOf(base), within: slices.Clone(p.within)}
	child.names = wire.CompileNames(reflect.SliceOf(out), p.api.Config.Case)
	if out.Kind() == reflect.Struct {
		child.mask = fieldrule.NewMask(out)
	}
	child.add(base, out, nil, child.alias, 0, fault)
	child.trace()
	child.finish()
	return child
}

// finish writes the list of the columns, and the writer of a flat view.
func (p *Plan) finish() {
	p.settle()
	if p.Flat() && p.mask.Empty() {
		p.Writer = newRowWriter(p, nil)
	}
}

// settle writes the list of the columns.
func (p *Plan) settle() {
	p.columns, p.Returning, p.Writer = p.selected(), "", nil
	if !p.Flat() {
		return
	}
	flat := make([]string, len(p.leaves))
	for i, l := range p.leaves {
		flat[i] = naming.Quote(l.column.Name)
	}
	p.Returning = strings.Join(flat, ", ")
}

// selected lists the columns for SELECT: those that are shown, then the keys of to-many relations.
func (p *Plan) selected() string {
	quoted := make([]string, 0, len(p.leaves)+len(p.many))
	for _, l := range p.leaves {
		quoted = append(quoted, naming.Quote(p.aliasOf(l.join))+"."+naming.Quote(l.column.Name))
	}
	for _, m := range p.many {
		quoted = append(quoted, naming.Quote(p.aliasOf(m.join))+"."+naming.Quote(m.base.Name))
	}
	return strings.Join(quoted, ", ")
}

// aliasOf is the alias of a joined table, or that of the row itself for join 0.
func (p *Plan) aliasOf(join int) string {
	if join == 0 {
		return p.alias
	}
	return p.joins[join-1].alias
}

// viewsetOf is the viewset of the rows of a base, nil if they are part of other rows.
func viewsetOf(base relation.Base) *table.Resource {
	r, _ := base.Viewset().(*table.Resource)
	return r
}

// Flat reports whether the view shows columns of the row itself only.
func (p *Plan) Flat() bool {
	joined := slices.ContainsFunc(p.joins, func(j planJoin) bool { return !j.unused })
	return !joined && len(p.many)+len(p.computed) == 0
}

func (p *Plan) add(base relation.Base, out reflect.Type, at []int, alias string, join int, fault func(error)) {
	if out.Kind() != reflect.Struct {
		fault(naming.Sentence("%s must be a struct", out))
		return
	}
	if slices.Contains(p.within, out) {
		fault(naming.Sentence("%s is shown inside itself, without an end; show the inner rows by a view without this field", out.Name()))
		return
	}
	p.within = append(p.within, out)
	defer func() { p.within = p.within[:len(p.within)-1] }()
	model := base.Table()
	modelhook.CheckScan(model, fault)
	for f := range naming.ShapeFields(out) {
		index := slices.Concat(at, f.Index)
		if tag, ok := f.Tag.Lookup("from"); ok {
			p.addFrom(base, out, f, tag, index, join, fault)
			continue
		}
		if model.Relations[f.Name] != nil {
			p.relate(base, f, index, alias, join, fault)
			continue
		}
		column := bunmodel.ColumnOf(model, f.Name)
		switch {
		case column == nil:
			fault(bunmodel.NoField(out.Name()+"."+f.Name, f.Name, model, model.Type.Name()))
		case column.StructField.Type != f.Type:
			fault(bunmodel.TwoTypes(out, f.Name, f.Type, model.Type.Name(), column))
		default:
			p.leaves = append(p.leaves, leaf{index: index, column: column, join: join})
			p.mask.Add(index, base.Seeing(query.Field{Column: column})...)
			if f.Type == table.FileType {
				p.addFile(column, index, join, out.Name()+"."+f.Name, fault)
			}
		}
	}
}

// addFile notes a file that is shown, and selects the keys in its path for its URL.
func (p *Plan) addFile(column *schema.Field, index []int, join int, place string, fault func(error)) {
	prefer := p.resource
	if join > 0 {
		prefer = viewsetOf(p.joins[join-1].relation.Base())
	}
	file := p.api.FileOf(column, prefer)
	if file == nil {
		fault(naming.Sentence("%s is a file, and no viewset declares it; add it to Files of the viewset of its rows", place))
		return
	}
	shown := planFile{index: index, file: file, join: join}
	for _, key := range file.KeyColumns() {
		shown.keys = append(shown.keys, len(p.leaves))
		p.leaves = append(p.leaves, leaf{column: key, join: join, hidden: true})
	}
	p.files = append(p.files, shown)
}

func (p *Plan) relate(base relation.Base, f reflect.StructField, index []int, alias string, join int, fault func(error)) {
	place := p.out.Name() + "." + f.Name
	r, err := relationOf(base, f)
	if err != nil {
		fault(naming.Sentence("%s: %w", place, err))
		return
	}
	p.showRows(r, f, index, alias, join, listOptions{}, fault)
}

// showRows shows the rows of a relation as objects: one, or a list.
func (p *Plan) showRows(r *relation.Relation, f reflect.StructField, index []int, alias string, join int, options listOptions, fault func(error)) {
	place := p.out.Name() + "." + f.Name
	p.mask.Add(index, r.Seeing()...)
	switch shown := shownType(f.Type); {
	case shown.Kind() != reflect.Struct:
		fault(naming.Sentence("%s: rows are shown by a struct, not by %s; for one column of them, name it, such as `from:\"%s.%s\"`", place, shown, r.Name, r.Schema.JoinTable.PKs[0].Name))
	case !r.ToMany():
		p.joinOne(r, f, index, alias, fault)
	case f.Type.Kind() != reflect.Slice:
		fault(naming.Sentence("%s must be a slice: it shows a to-many relation", place))
	default:
		element, pointer := f.Type.Elem(), f.Type.Elem().Kind() == reflect.Pointer
		if pointer {
			element = element.Elem()
		}
		modelhook.OfSelect().Check(r.Schema.JoinTable.Type, fault)
		p.addMany(planMany{index: index, join: join, pointer: pointer, relation: r, child: p.below(r.Base(), element, fault), listOptions: options})
	}
}

// shownType is the type by which a field of a view shows a row: without a pointer, and of a list
// that of its elements.
func shownType(t reflect.Type) reflect.Type {
	if t = naming.Indirect(t); t.Kind() == reflect.Slice {
		t = naming.Indirect(t.Elem())
	}
	return t
}

// relationOf is the relation that a field of a view shows: the listed one, or one with the scope
// that the tag ref of the field names.
func relationOf(base relation.Base, f reflect.StructField) (*relation.Relation, error) {
	if ref := f.Tag.Get("ref"); ref != "" {
		return base.With(f.Name, ref)
	}
	return base.ByGoName(f.Name)
}

func (p *Plan) joinOne(r *relation.Relation, f reflect.StructField, index []int, alias string, fault func(error)) {
	embedded, pointer := f.Type, f.Type.Kind() == reflect.Pointer
	if pointer {
		embedded = embedded.Elem()
	}
	if r.MayNarrow() && !pointer {
		fault(naming.Sentence("%s.%s must be a pointer: it is null where %s is not the caller's", p.out.Name(), f.Name, f.Name))
	}
	j := planJoin{index: index, pointer: pointer, relation: r, base: alias, alias: relation.Alias(alias, f.Name)}
	p.joins = append(p.joins, j)
	n := len(p.joins)
	p.leaves = append(p.leaves, leaf{column: r.Schema.JoinPKs[0], join: n, key: true})
	p.add(r.Base(), embedded, index, j.alias, n, fault)
}

// Rows runs q, a narrowed query on the plan's model, and returns []Out. If the window probes, it
// also reports whether rows follow.
func (p *Plan) Rows(c *call.Call, q *bun.SelectQuery, w scan.Window) (reflect.Value, bool, error) {
	found, err := c.Session().Read(c, p.limited(c, q, w))
	if err != nil {
		return reflect.Value{}, false, err
	}
	return p.complete(c, found, w)
}

// complete makes the rows of a result, and reads their to-many relations.
func (p *Plan) complete(c *call.Call, found *sqldb.Result, w scan.Window) (reflect.Value, bool, error) {
	out, keys, err := p.Scan(c, found, w)
	if err != nil {
		return reflect.Value{}, false, err
	}
	out, more := w.Cut(out)
	for i, m := range p.many {
		keys[i] = keys[i][:out.Len()]
		if err := m.attach(c, out, keys[i]); err != nil {
			return reflect.Value{}, false, err
		}
	}
	p.mask.Hidden(c).Zero(out)
	return out, more, nil
}

// Hiding implements [scan.Representation].
func (p *Plan) Hiding() *fieldrule.Mask { return p.mask }

// Write runs q as Rows does, and returns the rows as JSON.
func (p *Plan) Write(c *call.Call, q *bun.SelectQuery, w scan.Window) (scan.SentRows, error) {
	found, err := c.Session().Read(c, p.limited(c, q, w))
	if err != nil {
		return scan.SentRows{}, err
	}
	return p.Sent(c, found, w)
}

// Sent makes the JSON of the rows of a result, with the version of the first.
func (p *Plan) Sent(c *call.Call, found *sqldb.Result, w scan.Window) (sent scan.SentRows, err error) {
	if p.Writer != nil {
		sent, err = p.Writer.Rows(found, w)
	} else {
		rows, more, rowsErr := p.complete(c, found, w)
		sent, err = encodeRows(p.mask.Hidden(c), p.names, rows, more, rowsErr)
	}
	if err == nil && w.Version != nil && found.Len() > 0 {
		sent.Version = w.Version.OfColumns(found.Row(0)[len(p.leaves)+len(p.many)+len(p.computed):])
	}
	return sent, err
}

// limited returns the statement that reads the rows of a window.
func (p *Plan) limited(c *call.Call, q *bun.SelectQuery, w scan.Window) schema.QueryAppender {
	q = w.Version.Select(p.SelectFrom(c, q))
	if w.CutBefore && len(p.joins) == 0 { // its keys are limited already, and no join adds rows
		return q
	}
	return w.Limit(q)
}

// SelectFrom adds the columns and the joins of the plan to a query. It joins no related row that
// is deleted softly, or that is out of the scope of the relation.
func (p *Plan) SelectFrom(c *call.Call, q *bun.SelectQuery) *bun.SelectQuery {
	if p.columns != "" {
		q = q.ColumnExpr(p.columns)
	}
	for _, l := range p.computed {
		q = q.ColumnExpr("?", l.sql(c, l.alias))
	}
	for _, j := range p.joins {
		if !j.unused {
			q = j.relation.Join(c, q, j.base, j.alias)
		}
	}
	return q
}

// Scan reads the rows of a result into []Out, with the keys of each to-many relation. It notes the rows of the window whose reads
// are recorded.
func (p *Plan) Scan(c *call.Call, found *sqldb.Result, w scan.Window) (reflect.Value, [][]any, error) {
	out := reflect.MakeSlice(reflect.SliceOf(p.out), found.Len(), found.Len())
	keys := make([][]any, len(p.many))
	scan := p.newRow()
	for i := range found.Len() {
		if err := scan.read(out.Index(i), found.Row(i)); err != nil {
			return reflect.Value{}, nil, err
		}
		if w.Has(i) {
			scan.note(c)
		}
		for i := range p.many {
			keys[i] = append(keys[i], scan.key(i))
		}
	}
	return out, keys, nil
}

// Fill returns the view of a model, with the values of its columns that the caller sees. The plan must
// be flat.
func (p *Plan) Fill(c *call.Call, model reflect.Value) reflect.Value {
	out := reflect.New(p.out).Elem()
	for _, l := range p.leaves {
		if !l.hidden {
			out.FieldByIndex(l.index).Set(l.column.Value(model))
		}
	}
	for _, f := range p.files {
		f.link(out, func(leaf int) reflect.Value { return p.leaves[leaf].column.Value(model) })
	}
	if p.api.Audited(p.table) {
		p.api.NoteRead(c, p.table, p.table.PKs[0].Value(model).Interface())
	}
	p.mask.Hidden(c).Zero(out)
	return out
}

// link sets the URL of the file in a row. value returns the value of a leaf.
func (f planFile) link(out reflect.Value, value func(leaf int) reflect.Value) {
	field := out.FieldByIndex(f.index)
	file, _ := reflect.TypeAssert[files.File](field)
	keys := make([]reflect.Value, len(f.keys))
	for i, leaf := range f.keys {
		keys[i] = value(leaf)
	}
	field.Set(reflect.ValueOf(f.file.Linked(file, keys...)))
}

// keyOf returns the value of a key, or nil for a null reference.
func keyOf(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return reflect.Indirect(v).Interface()
}

// ShowsAll reports whether the plan shows all related rows of a relation of the row itself.
func (p *Plan) ShowsAll(relation string) bool {
	return slices.ContainsFunc(p.many, func(m planMany) bool { return m.join == 0 && m.relation.Name == relation && m.limit == 0 })
}

// OwnColumns lists the columns of the row itself that the plan shows, and its references to rows whose
// keys the plan shows.
func (p *Plan) OwnColumns() (columns []*schema.Field) {
	for _, l := range p.leaves {
		column := l.column
		if l.join > 0 {
			j := p.joins[l.join-1]
			if l.key || j.base != p.alias || l.column != j.relation.Schema.JoinPKs[0] {
				continue
			}
			column = j.relation.Schema.BasePKs[0]
		}
		if !l.hidden && !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	return columns
}

// ColumnsOf passes columns with their tables to use: the columns that the plan shows, the keys
// of its joined rows, and the foreign keys of its to-many relations. It passes the base key of a
// to-many relation only if the plan shows it.
func (p *Plan) ColumnsOf(use func(*schema.Table, ...*schema.Field)) {
	for _, l := range p.leaves {
		table := p.table
		if l.join > 0 {
			table = p.joins[l.join-1].relation.Schema.JoinTable
		}
		use(table, l.column)
	}
	for _, m := range p.many {
		use(m.relation.Between(), m.foreign)
		if m.join > 0 {
			use(m.relation.Holder(), m.base)
		}
		m.child.ColumnsOf(use)
	}
}
