package view

import (
	"database/sql/driver"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/modelhook"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
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
	joins     []planJoin
	many      []planMany
	files     []planFile
	resource  *table.Resource // the viewset of the plan, nil for the rows of a relation
	names     *wire.Names     // of a list of rows
	Writer    *rowWriter      // writes JSON straight from the columns; nil if that is not possible
}

// A leaf is a selected column and its field in the output.
type leaf struct {
	index  []int // of the field in out
	column *schema.Field
	join   int  // the number of its join, from 1; 0 for the row itself
	key    bool // not shown: it is null if its join found no row
	hidden bool // not shown: it is the key of the row in the URLs of its files
}

// A planFile is a file that the view shows with its URL.
type planFile struct {
	index []int // of the field in out
	file  *table.FileColumn
	key   int // of the leaf with the key of its row
	join  int // the number of its join, from 1; 0 for the row itself
}

// A planJoin is a to-one relation, which is joined in the same statement.
type planJoin struct {
	index    []int // of the embedded struct in out
	pointer  bool
	relation *relation.Relation
	alias    string
	base     string // alias of the table that has the relation
}

// A planMany is a to-many relation. One statement loads it for all rows.
type planMany struct {
	index    []int // of the slice in out
	base     *schema.Field
	foreign  *schema.Field
	child    *Plan
	owned    Plan // child, and the key of each row's parent
	pointer  bool // the slice has pointers
	relation *relation.Relation
}

// CompilePlan matches the fields of out to those of the model. It calls fault for each mistake,
// with a sentence that does not name the viewset. base is the rows that are shown; their files
// have the URLs of their viewset.
func CompilePlan(api *table.Registry, base relation.Base, out reflect.Type, fault func(error)) *Plan {
	p := &Plan{api: api, out: out, table: base.Table(), alias: base.Table().Alias, resource: viewsetOf(base)}
	p.names = wire.CompileNames(reflect.SliceOf(out), api.Config.Case)
	p.add(base, out, nil, p.alias, 0, fault)
	quoted := make([]string, 0, len(p.leaves))
	flat := make([]string, 0, len(p.leaves))
	for _, l := range p.leaves {
		alias := p.alias
		if l.join > 0 {
			alias = p.joins[l.join-1].alias
		}
		flat = append(flat, naming.Quote(l.column.Name))
		quoted = append(quoted, naming.Quote(alias)+"."+naming.Quote(l.column.Name))
	}
	for _, m := range p.many {
		quoted = append(quoted, naming.Quote(p.alias)+"."+naming.Quote(m.base.Name))
	}
	p.columns = strings.Join(quoted, ", ")
	if p.Flat() {
		p.Returning = strings.Join(flat, ", ")
		p.Writer = newRowWriter(p)
	}
	return p
}

// viewsetOf is the viewset of the rows of a base, nil if they are part of other rows.
func viewsetOf(base relation.Base) *table.Resource {
	r, _ := base.Viewset().(*table.Resource)
	return r
}

// Flat reports whether the view shows columns of the row itself only.
func (p *Plan) Flat() bool { return len(p.joins) == 0 && len(p.many) == 0 }

func (p *Plan) add(base relation.Base, out reflect.Type, at []int, alias string, join int, fault func(error)) {
	if out.Kind() != reflect.Struct {
		fault(naming.Sentence("%s must be a struct", out))
		return
	}
	model := base.Table()
	modelhook.CheckScan(model, fault)
	for f := range naming.ShapeFields(out) {
		index := slices.Concat(at, f.Index)
		if model.Relations[f.Name] != nil {
			p.relate(base, f, index, alias, join, fault)
			continue
		}
		column := table.ColumnOf(model, f.Name)
		switch {
		case column == nil:
			fault(table.NoField(out.Name()+"."+f.Name, f.Name, model, model.Type.Name()))
		case column.StructField.Type != f.Type:
			fault(table.TwoTypes(out, f.Name, f.Type, column))
		default:
			p.leaves = append(p.leaves, leaf{index: index, column: column, join: join})
			if f.Type == table.FileType {
				p.addFile(column, index, join, out.Name()+"."+f.Name, fault)
			}
		}
	}
}

// addFile notes a file that is shown, and selects the key of its row for its URL.
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
	p.files = append(p.files, planFile{index: index, file: file, key: len(p.leaves), join: join})
	p.leaves = append(p.leaves, leaf{column: file.Resource.Key, join: join, hidden: true})
}

func (p *Plan) relate(base relation.Base, f reflect.StructField, index []int, alias string, join int, fault func(error)) {
	place := p.out.Name() + "." + f.Name
	r, err := relationOf(base, f)
	if err != nil {
		fault(naming.Sentence("%s: %w", place, err))
		return
	}
	switch r.Schema.Type {
	case schema.BelongsToRelation, schema.HasOneRelation:
		p.joinOne(r, f, index, alias, fault)
	case schema.HasManyRelation:
		if join > 0 {
			fault(naming.Sentence("%s: a list inside a joined relation cannot be loaded; load it from the row itself", place))
			return
		}
		p.loadMany(r, f, index, fault)
	default:
		fault(naming.Sentence("%s: many-to-many relations are not shown; declare has-many on the joining table", place))
	}
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
	j := planJoin{index: index, pointer: pointer, relation: r, base: alias, alias: alias + "__" + strings.ToLower(f.Name)}
	p.joins = append(p.joins, j)
	n := len(p.joins)
	p.leaves = append(p.leaves, leaf{column: r.Schema.JoinPKs[0], join: n, key: true})
	p.add(r.Base(), embedded, index, j.alias, n, fault)
}

func (p *Plan) loadMany(r *relation.Relation, f reflect.StructField, index []int, fault func(error)) {
	if f.Type.Kind() != reflect.Slice {
		fault(naming.Sentence("%s.%s must be a slice: it shows a to-many relation", p.out.Name(), f.Name))
		return
	}
	element, pointer := f.Type.Elem(), f.Type.Elem().Kind() == reflect.Pointer
	if pointer {
		element = element.Elem()
	}
	m := planMany{
		index: index, base: r.Schema.BasePKs[0], foreign: r.Schema.JoinPKs[0], pointer: pointer, relation: r,
		child: CompilePlan(p.api, r.Base(), element, fault),
	}
	m.owned = *m.child
	m.owned.columns += ", " + naming.Quote(m.owned.alias) + "." + naming.Quote(m.foreign.Name)
	m.owned.many = append(slices.Clip(m.owned.many), planMany{base: m.foreign})
	p.many = append(p.many, m)
}

// Rows runs q, a narrowed query on the plan's model, and returns []Out. If the window probes, it
// also reports whether rows follow.
func (p *Plan) Rows(c *call.Call, q *bun.SelectQuery, w table.Window) (reflect.Value, bool, error) {
	out, keys, err := p.load(c, q, w)
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
	return out, more, nil
}

// Write runs q as Rows does, and returns the rows as JSON.
func (p *Plan) Write(c *call.Call, q *bun.SelectQuery, w table.Window) (table.SentRows, error) {
	if p.Writer == nil {
		rows, more, err := p.Rows(c, q, w)
		return encodeRows(p.names, rows, more, err)
	}
	found, err := c.Session().Read(c, p.limited(c, q, w))
	if err != nil {
		return table.SentRows{}, err
	}
	return p.Writer.Rows(found, w)
}

// limited returns the statement that reads the rows of a window.
func (p *Plan) limited(c *call.Call, q *bun.SelectQuery, w table.Window) schema.QueryAppender {
	q = p.SelectFrom(c, q)
	if w.CutBefore && len(p.joins) == 0 { // its keys are limited already, and no join adds rows
		return q
	}
	return w.Limit(q)
}

// SelectFrom adds the columns and the joins of the plan to a query. It joins no related row that
// is deleted softly, or that is out of the scope of the relation.
func (p *Plan) SelectFrom(c *call.Call, q *bun.SelectQuery) *bun.SelectQuery {
	q = q.ColumnExpr(p.columns)
	for _, j := range p.joins {
		q = j.relation.Join(c, q, j.base, j.alias)
	}
	return q
}

// load reads the rows into []Out, with the keys of each to-many relation.
func (p *Plan) load(c *call.Call, q *bun.SelectQuery, w table.Window) (reflect.Value, [][]any, error) {
	found, err := c.Session().Read(c, p.limited(c, q, w))
	if err != nil {
		return reflect.Value{}, nil, err
	}
	return p.Scan(found)
}

// Scan reads the rows of a result into []Out, with the keys of each to-many relation.
func (p *Plan) Scan(found *sqldb.Result) (reflect.Value, [][]any, error) {
	out := reflect.MakeSlice(reflect.SliceOf(p.out), found.Len(), found.Len())
	keys := make([][]any, len(p.many))
	scan := p.newRow()
	for i := range found.Len() {
		if err := scan.read(out.Index(i), found.Row(i)); err != nil {
			return reflect.Value{}, nil, err
		}
		for i := range p.many {
			keys[i] = append(keys[i], keyOf(scan.keys[i].Elem()))
		}
	}
	return out, keys, nil
}

// A planRow scans one row at a time.
type planRow struct {
	plan  *Plan
	cells []cell
	keys  []reflect.Value // pointers to the keys of to-many relations
	found []bool          // true for each join that found a row
}

// A cell receives one column of a row.
type cell struct {
	*leaf
	value reflect.Value
	found *bool
}

func (p *Plan) newRow() *planRow {
	r := &planRow{plan: p, cells: make([]cell, len(p.leaves), len(p.leaves)+len(p.many)), found: make([]bool, len(p.joins))}
	for i := range p.leaves {
		r.cells[i] = cell{leaf: &p.leaves[i]}
		switch l := p.leaves[i]; {
		case l.key:
			r.cells[i].found = &r.found[l.join-1]
		case l.hidden:
			r.cells[i].value = reflect.New(l.column.StructField.Type).Elem()
		}
	}
	for _, m := range p.many {
		key := reflect.New(m.base.StructField.Type)
		r.keys = append(r.keys, key)
		r.cells = append(r.cells, cell{leaf: &leaf{column: m.base}, value: key.Elem()})
	}
	return r
}

// read scans a row into out, which must be zero.
func (r *planRow) read(out reflect.Value, row []driver.Value) error {
	for _, j := range r.plan.joins {
		if j.pointer {
			f := out.FieldByIndex(j.index)
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
	for i := range r.cells {
		if i < len(r.plan.leaves) && !r.cells[i].key && !r.cells[i].hidden {
			r.cells[i].value = out.FieldByIndex(r.cells[i].index)
		}
		if err := r.cells[i].Scan(row[i]); err != nil {
			return err
		}
	}
	r.link(out)
	for i, j := range slices.Backward(r.plan.joins) {
		if !r.found[i] {
			out.FieldByIndex(j.index).SetZero()
		}
	}
	return nil
}

// link sets the URLs of the files of a row. A join that found no row has none.
func (r *planRow) link(out reflect.Value) {
	for _, f := range r.plan.files {
		if f.join == 0 || r.found[f.join-1] {
			f.link(out, r.cells[f.key].value)
		}
	}
}

// Scan implements [sql.Scanner].
func (c *cell) Scan(src any) error {
	if c.key {
		*c.found = src != nil
		return nil
	}
	if src == nil && c.join > 0 {
		return nil
	}
	if err := c.column.ScanWithCheck(c.value, src); err != nil {
		return err
	}
	table.InUTC(c.value)
	return nil
}

// Fill returns the view of a model, with the values of its columns. The plan must be flat.
func (p *Plan) Fill(model reflect.Value) reflect.Value {
	out := reflect.New(p.out).Elem()
	for _, l := range p.leaves {
		if !l.hidden {
			out.FieldByIndex(l.index).Set(l.column.Value(model))
		}
	}
	for _, f := range p.files {
		f.link(out, p.leaves[f.key].column.Value(model))
	}
	return out
}

// link sets the URL of the file in a row, whose key is known.
func (f planFile) link(out, key reflect.Value) {
	field := out.FieldByIndex(f.index)
	file, _ := reflect.TypeAssert[files.File](field)
	field.Set(reflect.ValueOf(f.file.Linked(file, key)))
}

// keyOf returns the value of a key, or nil for a null reference.
func keyOf(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return reflect.Indirect(v).Interface()
}

// attach loads the children of all rows and adds each to its parent's list.
func (m planMany) attach(c *call.Call, out reflect.Value, keys []any) error {
	lists := map[any][]reflect.Value{}
	for i, key := range keys {
		field := out.Index(i).FieldByIndex(m.index)
		field.Set(reflect.MakeSlice(field.Type(), 0, 0))
		lists[key] = append(lists[key], field)
	}
	if len(keys) == 0 {
		return nil
	}
	children, owners, err := m.children(c, keys)
	if err != nil {
		return err
	}
	for i, owner := range owners {
		child := children.Index(i)
		if m.pointer {
			child = child.Addr()
		}
		for _, field := range lists[owner] {
			field.Set(reflect.Append(field, child))
		}
	}
	return nil
}

// children reads the rows of the relation that the scope permits, in the order of their primary
// keys and with their own to-many relations. It also returns the key of each row's parent.
func (m planMany) children(c *call.Call, keys []any) (reflect.Value, []any, error) {
	q := m.relation.Rows(c).
		Where("?.? IN (?)", bun.Ident(m.child.alias), bun.Ident(m.foreign.Name), sqldb.List(keys)).
		OrderExpr("?.?", bun.Ident(m.child.alias), bun.Ident(m.child.table.PKs[0].Name))
	out, all, err := m.owned.load(c, q, table.Window{})
	if err != nil {
		return reflect.Value{}, nil, err
	}
	for i, deeper := range m.child.many {
		if err := deeper.attach(c, out, all[i]); err != nil {
			return reflect.Value{}, nil, err
		}
	}
	return out, all[len(all)-1], nil
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
		use(m.child.table, m.foreign)
		m.child.ColumnsOf(use)
	}
}
