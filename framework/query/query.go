package query

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
)

// A Filter is a filter backend: it narrows a list by query parameters. It is bound once,
// when the API is checked. Implementations must be safe for concurrent use. Package filter
// has the usual ones.
//
// frameworktest.TestFilter checks your own implementation.
type Filter interface {
	// Bind finds the fields and resources that the filter uses. Its error is a sentence
	// without a prefix, such as the one that [Facts.Field] returns: `no field "citty" in
	// Patient; did you mean "city"?`. If the filter has a method String, mistakes name it
	// by that text.
	Bind(f *Facts) (BoundFilter, error)
}

// A BoundFilter is a filter that has found its columns.
type BoundFilter struct {
	// Params lists the parameters that the filter reads.
	Params []Param
	// Read turns the values of a request into a condition. It is called if at least one of
	// Params is present and not empty. A nil Narrow leaves the list unchanged. An error is
	// best made by problem.InvalidParameter.
	Read func(c *call.Call, v Values) (Narrow, error)
	// Scans is true if an index does not help the filter, as for a text within a text or a
	// condition that most rows meet. If it is false, API.Indexes lists an index for each
	// field that Bind found by [Facts.Field].
	Scans bool
}

// A Narrow adds conditions to a query. It is applied to the query of the rows and to the
// query of the count. It therefore may only add WHERE terms, and joins that do not multiply
// rows. The framework puts its terms in parentheses, so that an OR among them cannot widen
// the scope. Pass values of the request as arguments, `Where("? = ?", field.Ident(),
// value)`, never as text of the query.
type Narrow func(q *bun.SelectQuery) *bun.SelectQuery

// A Param describes a query parameter to clients.
type Param struct {
	Name string
	Doc  string
	Type reflect.Type // of one value; nil for string
	Enum []string     // the allowed values; nil for any
	List bool         // takes several values, separated by commas
	// Required: a request without the parameter is rejected, for the OpenAPI document.
	Required bool
	// Minimum is the least number that is valid, or nil.
	Minimum any
	// MaxLength is the greatest number of characters that is valid, or 0 for any.
	MaxLength int
	// Default is the value that an absent parameter has, or nil.
	Default any
}

// Values are the query parameters of a request that the endpoint has. Each has one value,
// which is not empty.
type Values map[string]string

// A Source is a registered resource, as filters and rankings use it. The framework
// implements it.
type Source interface {
	// Field finds a field by its client's name, or by its column. The error suggests the
	// nearest name.
	Field(name string) (Field, error)
	// FieldAt finds a field, a declared expression, or a column of a related row by its path,
	// such as "author.name".
	FieldAt(path string) (Field, error)
	// Relation finds the rows that a relation leads to, by its path, such as "comments".
	Relation(path string) (Source, RelatedRows, error)
	// Find finds another registered resource by its path, such as "doctors".
	Find(path string) (Source, error)
	// PrimaryKey returns the field of the primary key.
	PrimaryKey() Field
	// Narrowed reports whether the scope hides rows from a caller who lists them.
	Narrowed(c *call.Call) bool
	// ScopedKeys returns a subquery of the primary keys of the rows that the caller may
	// see.
	ScopedKeys(c *call.Call) *bun.SelectQuery
}

// Facts describe the resource that a filter or a ranking is bound to.
type Facts struct {
	source Source
	names  naming.Case
}

// NewFacts returns the facts about a resource. The case is that of names in its API.
func NewFacts(source Source, names naming.Case) *Facts { return &Facts{source, names} }

// Field finds a field by its client's name, or by its column. The error is a sentence that
// suggests the nearest name.
func (f *Facts) Field(name string) (Field, error) {
	found, err := f.source.Field(name)
	found.Case = f.names
	return found, err
}

// FieldAt finds a field as [Facts.Field] does, or a declared expression, or a column of a related
// row by its path: "author.name". A filter uses [Field.SQL] of such a field in its condition, and
// adds the condition by [Field.Narrow]. The error suggests what to declare.
func (f *Facts) FieldAt(path string) (Field, error) {
	found, err := f.source.FieldAt(path)
	found.Case = f.names
	return found, err
}

// Relation finds the rows that a relation leads to, by its path, such as "comments". Fields of
// the returned facts are those of a related row. A condition on them belongs into
// [RelatedRows.Has].
func (f *Facts) Relation(path string) (*Facts, RelatedRows, error) {
	source, related, err := f.source.Relation(path)
	if err != nil {
		return nil, nil, err
	}
	return NewFacts(source, f.names), related, nil
}

// Resource finds another registered resource by its path, such as "doctors".
func (f *Facts) Resource(path string) (Target, error) {
	found, err := f.source.Find(path)
	return Target{found, path}, err
}

// Self returns the resource itself as a target, as another resource refers to it.
func (f *Facts) Self() Target { return Target{f.source, "this viewset"} }

// RelatedRows are the rows that relations lead to. The framework implements it.
type RelatedRows interface {
	// Has returns the condition that a row has a related row which the caller may see and
	// which satisfies narrow. A row has it once, however many related rows there are.
	Has(c *call.Call, narrow Narrow) schema.QueryAppender
	// ToMany reports whether a row may have several related rows.
	ToMany() bool
}

// A Field is one column of a model under its client's name. [Facts.FieldAt] also finds
// expressions, and columns of related rows.
type Field struct {
	Name     string        // for clients
	GoName   string        // in the model
	Type     reflect.Type  // without a pointer
	Enum     []string      // the values of an enumerated type as clients write them; nil for any
	Nullable bool          // the column may be null
	Alias    string        // of the table in statements
	Column   *schema.Field // bun's description of the column; nil for an expression
	Table    *schema.Table // the table that has the column; nil for an expression
	// Case is that of names in the API, for names that are made of others.
	Case naming.Case
	// Expression writes the SQL of a declared expression for the table of an alias. It is nil
	// for a column.
	Expression func(c *call.Call, alias string) schema.QueryAppender
	// Aggregate is true for an expression that is computed from related rows, such as their
	// number.
	Aggregate bool
	// Related is the rows that have the field. It is nil for a field of the row itself.
	Related RelatedRows
}

// SQL returns the column or the expression as an argument of a bun query. A field of a related
// row has its meaning in a condition of [Field.Narrow] alone.
func (f Field) SQL(c *call.Call) schema.QueryAppender {
	if f.Expression != nil {
		return f.Expression(c, f.Alias)
	}
	return f.Ident()
}

// Narrow returns the condition narrow on the row that has the field. For a field of a related
// row, it is the condition that there is a related row which satisfies narrow.
func (f Field) Narrow(c *call.Call, narrow Narrow) Narrow {
	if f.Related == nil || narrow == nil {
		return narrow
	}
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", f.Related.Has(c, narrow)) }
}

// OfOthers reports whether the value of the field depends on related rows.
func (f Field) OfOthers() bool { return f.Related != nil || f.Aggregate }

// Ident returns the column of a row itself, qualified and quoted, as an argument of a bun query.
func (f Field) Ident() schema.QueryAppender {
	return bun.SafeQuery("?.?", bun.Ident(f.Alias), bun.Ident(f.Column.Name))
}

// A Target is a resource that another resource refers to.
type Target struct {
	source Source
	path   string
}

// Check returns the mistake of a field that is compared with the primary key of the target: it has
// another type, or a belongs-to relation of its model leads elsewhere.
func (t Target) Check(f Field) error {
	key := t.source.PrimaryKey()
	switch {
	case f.Type != key.Type:
		return naming.Sentence("the field is %s, but the keys of %s are %s", f.Type, t.path, key.Type)
	case f.Column != nil && f.Table != nil:
		return bunmodel.CheckReference(bunmodel.Column{Table: f.Table, Field: f.Column}, bunmodel.Column{Table: key.Table, Field: key.Column}, t.path)
	}
	return nil
}

// Type returns the Go type of the target's keys.
func (t Target) Type() reflect.Type { return t.source.PrimaryKey().Type }

// Key parses a reference to a row of the target. It returns false if text is not a key.
func (t Target) Key(text string) (any, bool) { return datatype.ParseKey(t.Type(), text) }

// Narrowed reports whether the target's scope may hide rows from the caller. If not,
// [Target.Rows] is not needed.
func (t Target) Narrowed(c *call.Call) bool { return t.source.Narrowed(c) }

// Rows returns a subquery of the keys of the target's rows that the caller may see.
func (t Target) Rows(c *call.Call) *bun.SelectQuery { return t.source.ScopedKeys(c) }

// Has returns the condition that key, a column of another table, refers to a row of the
// target that the caller may see.
func (t Target) Has(c *call.Call, key schema.QueryAppender) schema.QueryAppender {
	return bun.SafeQuery("EXISTS (?)", t.Rows(c).Where("?TableAlias.? = ?", bun.Ident(t.source.PrimaryKey().Column.Name), key))
}
