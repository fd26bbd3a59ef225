package query

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/input"
)

// A Filter is a filter backend: it narrows a list by query parameters. It is
// bound once, at registration, and used by many requests at once. Package
// filter has the usual ones.
//
// frameworktest.TestFilter checks an implementation of your own.
type Filter interface {
	// Bind resolves the names that the filter uses. Its error is a sentence
	// without a prefix: `no field "citty" in Patient; did you mean "city"?`,
	// which [Facts.Field] makes. A filter with a String method is called by it.
	Bind(f *Facts) (BoundFilter, error)
}

// A BoundFilter is a filter that knows its columns.
type BoundFilter struct {
	// Params are the parameters that the filter reads.
	Params []Param
	// Read turns the values of one request into a narrowing. It is called when
	// at least one of Params is present and not empty. A nil Narrow leaves the
	// list alone; an error is best made by [InvalidParameter].
	Read func(c *call.Call, v Values) (Narrow, error)
	// Scans says that no index finds its rows, as of a text within a text, or
	// that it leaves most of them. Defaults to false: [API.Indexes] asks for
	// one for each field that Bind asked for.
	Scans bool
}

// A Narrow adds conditions to a query. It is applied to the query of the rows
// and to that of the count, so it only adds WHERE terms and joins that do not
// multiply rows. Its terms stand in parentheses of their own: an OR among them
// cannot reach past the scope. Values of the request go in as arguments, `Where("? = ?",
// field.Ident(), value)`, never as text.
type Narrow func(q *bun.SelectQuery) *bun.SelectQuery

// A Param describes one query parameter to clients.
type Param struct {
	Name string
	Doc  string
	Type reflect.Type // of one value, nil for string
	Enum []string     // the values it takes, nil for any
	List bool         // several values, separated by commas
	// Minimum is the least number that is not refused, nil for none.
	Minimum any
	// Default is what it counts as where it is absent, nil for nothing.
	Default any
}

// Values are the query parameters of one request that an endpoint knows,
// each with one value that is not empty.
type Values map[string]string

// A Source is a registered resource, as filters and rankings see it. The framework
// implements it.
type Source interface {
	// Field finds a field by its client's name, or by its column. The error names the
	// nearest right name.
	Field(name string) (Field, error)
	// Find finds another registered resource by its path, such as "doctors".
	Find(path string) (Source, error)
	// PrimaryKey is the field of the primary key.
	PrimaryKey() Field
	// Narrowed reports whether the scope leaves out rows for a caller who lists them.
	Narrowed(c *call.Call) bool
	// ScopedKeys is a subquery of the primary keys of the rows that the caller may see.
	ScopedKeys(c *call.Call) *bun.SelectQuery
}

// Facts is what a filter may ask about the resource it narrows.
type Facts struct {
	// Asked are the fields that were found by [Facts.Field], in order.
	Asked  []Field
	source Source
}

// NewFacts returns the facts about a resource.
func NewFacts(source Source) *Facts { return &Facts{source: source} }

// Field finds a field by the client's name for it, or by its column's. Its
// error is a sentence that names the nearest right name.
func (f *Facts) Field(name string) (Field, error) {
	field, err := f.source.Field(name)
	if err == nil {
		f.Asked = append(f.Asked, field)
	}
	return field, err
}

// Resource finds another registered resource by its path, such as "doctors".
func (f *Facts) Resource(path string) (Target, error) {
	found, err := f.source.Find(path)
	return Target{found}, err
}

// Self is the resource that is being bound, as another refers to it.
func (f *Facts) Self() Target { return Target{f.source} }

// A Field is one column of a model under its client's name.
type Field struct {
	Name     string        // the client's
	GoName   string        // the model's
	Type     reflect.Type  // without a pointer
	Enum     []string      // the values of an enumerated type as clients write them, nil for any
	Nullable bool          // it may have no value
	Alias    string        // of the table in statements
	Column   *schema.Field // bun's description of the column
}

// Ident is the column, qualified and quoted, as an argument of a bun query.
func (f Field) Ident() schema.QueryAppender {
	return bun.SafeQuery("?.?", bun.Ident(f.Alias), bun.Ident(f.Column.Name))
}

// A Target is another resource that a reference leads to.
type Target struct{ source Source }

// Type is the Go type of the target's keys.
func (t Target) Type() reflect.Type { return t.source.PrimaryKey().Type }

// Key parses a reference to one of the target's rows.
func (t Target) Key(text string) (any, bool) { return input.ParseKey(t.Type(), text) }

// Narrowed reports whether there may be rows of the target that the caller
// does not have, and [Target.Rows] is worth asking.
func (t Target) Narrowed(c *call.Call) bool { return t.source.Narrowed(c) }

// Rows is a subquery of the keys of the target's rows that the caller has.
func (t Target) Rows(c *call.Call) *bun.SelectQuery { return t.source.ScopedKeys(c) }

// Has is a condition: key, a column of another table, is that of a row of the
// target that the caller has.
func (t Target) Has(c *call.Call, key schema.QueryAppender) schema.QueryAppender {
	return bun.SafeQuery("EXISTS (?)", t.Rows(c).Where("?TableAlias.? = ?", bun.Ident(t.source.PrimaryKey().Column.Name), key))
}
