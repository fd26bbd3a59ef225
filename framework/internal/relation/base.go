package relation

import (
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// A Base is a kind of rows from which relations lead on: the rows of a viewset, or rows that are
// part of another row. It implements [query.Source].
type Base struct {
	set    *Set
	prefix string // of the names of its relations in the set
	table  *schema.Table
	other  *Relation // instead of the listed one; nil without one
}

// Table is the table of the rows.
func (b Base) Table() *schema.Table { return b.table }

// Viewset is the viewset of the rows, nil for rows that are part of another row.
func (b Base) Viewset() Viewset {
	if b.whole() {
		return b.set.viewset
	}
	return nil
}

// whole reports whether the rows are those of a viewset.
func (b Base) whole() bool { return b.prefix == "" }

// ByGoName finds the relation of a Go field. Without a relation of this name, both results are
// nil. A relation that the viewset does not list is an error, which says what to add.
func (b Base) ByGoName(goName string) (*Relation, error) {
	described := b.table.Relations[goName]
	if described == nil {
		return nil, nil
	}
	if b.other != nil && b.other.Schema == described {
		return b.other, nil
	}
	if r := b.set.byField[b.prefix+goName]; r != nil {
		return r, nil
	}
	return nil, b.set.unlisted(b.prefix, described)
}

// ByName finds a relation by its name. The error of an unknown name suggests the nearest one, and
// the error of a relation that the viewset does not list says what to add.
func (b Base) ByName(name string) (*Relation, error) {
	if r := b.set.byName[b.prefix+name]; r != nil && (b.other == nil || b.other.Schema != r.Schema) {
		return r, nil
	}
	if goName := fieldNamed(b.table, name); goName != "" {
		return b.ByGoName(goName)
	}
	return nil, naming.Sentence("no relation %q in %s%s", name, b.table.Type.Name(), naming.DidYouMean(name, b.names()))
}

// With returns a relation of the base with the scope of another viewset, or without one if ref is
// [OfRow].
func (b Base) With(goName, ref string) (*Relation, error) {
	described := b.table.Relations[goName]
	return b.set.relate(b, b.prefix+b.set.nameOf(b.prefix, described), described, ref)
}

// Override returns the base with another scope, as in [Base.With], for the first relation of a path
// with options. The relation need not be listed.
func (b Base) Override(path, ref string) (Base, error) {
	name := path
	if end := strings.IndexAny(path, ".,("); end >= 0 {
		name = path[:end]
	}
	goName := fieldNamed(b.table, name)
	if goName == "" {
		return b, nil // the path has a mistake, or is a function
	}
	r, err := b.With(goName, ref)
	b.other = r
	return b, err
}

// names lists the names of the relations, sorted.
func (b Base) names() []string {
	var names []string
	for _, r := range b.table.Relations {
		names = append(names, b.set.nameOf(b.prefix, r))
	}
	slices.Sort(names)
	return names
}

// Walk finds the relations that a dotted path names, one after the other.
func (b Base) Walk(path string) (found Path, end Base, err error) {
	end = b
	for name := range strings.SplitSeq(path, ".") {
		r, err := end.ByName(name)
		if err != nil {
			return nil, end, err
		}
		found, end = append(found, r), r.Base()
	}
	return found, end, nil
}

// FieldAt finds a column by its path: "title", "author.name". An expression of a viewset counts as
// one of its columns, and so does a function of related rows: "count(votes)".
func (b Base) FieldAt(path string) (query.Field, error) {
	before, _, _ := strings.Cut(path, "(")
	at := strings.LastIndexByte(before, '.')
	if at < 0 {
		return b.own(path)
	}
	steps, end, err := b.Walk(path[:at])
	if err != nil {
		return query.Field{}, err
	}
	f, err := end.own(path[at+1:])
	if err != nil {
		return query.Field{}, err
	}
	f.Name, f.Nullable, f.Related = path, true, steps
	b.set.use(f)
	return f, nil
}

// own finds a column of the rows themselves, or an expression. The name of a relation is an error
// that suggests a column of the related row.
func (b Base) own(name string) (query.Field, error) {
	if strings.Contains(name, "(") {
		return b.functionField(name)
	}
	if b.whole() {
		if err := b.set.unclear[name]; err != nil {
			return query.Field{}, err
		}
		if f, ok := b.set.Expressions[name]; ok {
			return f, nil
		}
	}
	f, err := b.Field(name)
	if r, unknown := b.ByName(name); err != nil && unknown == nil {
		return f, naming.Sentence("%q is a relation of %s; name a column of the related row, such as %q", name, b.table.Type.Name(), name+"."+r.Schema.JoinTable.PKs[0].Name)
	}
	if near := naming.DidYouMean(name, b.expressions()); err != nil && near != "" && fieldNamed(b.table, name) == "" {
		return f, naming.Sentence("no field %q in %s%s", name, b.table.Type.Name(), near)
	}
	return f, err
}

// expressions returns the names of the declared expressions of the rows themselves, in order.
func (b Base) expressions() (names []string) {
	if !b.whole() {
		return nil
	}
	for name, f := range b.set.Expressions {
		if !f.Aggregate {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Field finds a column of the rows themselves. Rows of a viewset have the names of its clients.
// Rows that are part of another row have the names of their columns or, with the same words, of
// the Go fields.
func (b Base) Field(name string) (query.Field, error) {
	if b.whole() {
		return b.set.viewset.Field(name)
	}
	return ColumnNamed(b.table, name)
}

// ColumnNamed finds a column of a table by its name or, with the same words, by its Go field. The
// error suggests the nearest name, or lists the columns if several have the Go field.
func ColumnNamed(table *schema.Table, name string) (query.Field, error) {
	column, err := bunmodel.Named(table, name)
	if err != nil {
		return query.Field{}, err
	}
	if column != nil {
		return fieldOf(table, name, column), nil
	}
	known := make([]string, len(table.Fields))
	for i, column := range table.Fields {
		known[i] = column.Name
	}
	return query.Field{}, naming.Sentence("no field %q in %s%s", name, table.Type.Name(), naming.DidYouMean(name, known))
}

// Relation implements [query.Source].
func (b Base) Relation(path string) (query.Source, query.RelatedRows, error) {
	steps, end, err := b.Walk(path)
	if err != nil {
		return nil, nil, err
	}
	return end, steps, nil
}

// Find implements [query.Source].
func (b Base) Find(path string) (query.Source, error) { return b.set.viewset.Find(path) }

// PrimaryKey implements [query.Source].
func (b Base) PrimaryKey() query.Field {
	return fieldOf(b.table, b.table.PKs[0].Name, b.table.PKs[0])
}

// PrimaryKeys are the columns of the primary key.
func (b Base) PrimaryKeys() []query.Field {
	keys := make([]query.Field, len(b.table.PKs))
	for i, key := range b.table.PKs {
		keys[i] = fieldOf(b.table, key.Name, key)
	}
	return keys
}

// Narrowed implements [query.Source]. Rows that are part of another row have no scope.
func (b Base) Narrowed(c *call.Call) bool { return b.whole() && b.set.viewset.Narrowed(c) }

// ScopedKeys implements [query.Source].
func (b Base) ScopedKeys(c *call.Call) *bun.SelectQuery {
	if b.whole() {
		return b.set.viewset.ScopedKeys(c)
	}
	return c.DB.NewSelect().Model(b.table.ZeroIface).ColumnExpr("?TableAlias.?", bun.Ident(b.table.PKs[0].Name))
}

// fieldOf describes a column under a name.
func fieldOf(table *schema.Table, name string, column *schema.Field) query.Field {
	values, _ := datatype.EnumValues(column.IndirectType) // a viewset of the model reports its error
	return query.Field{
		Name: name, GoName: column.GoName, Type: column.IndirectType, Alias: table.Alias, Column: column, Table: table,
		Enum: datatype.ValueWords(values), Nullable: column.IsPtr || column.NullZero,
	}
}
