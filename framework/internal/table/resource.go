package table

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/expression"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/reserved"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/search"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Resource is a viewset bound to the columns of its table. It does not change once the API
// is bound.
type Resource struct {
	API         *Registry
	Declaration *declare.Declaration
	Path        string // "manage/doctors"
	Model       reflect.Type
	Table       *schema.Table
	Pk          *schema.Field
	Key         *schema.Field          // the key in the path of a row
	Names       map[string]query.Field // by the client's name
	Relations   *relation.Set
	Scope       BoundScope
	Writers     BoundScope // Public without a declaration
	Above       *Nesting   // nil for a viewset that is below no other
	Fields      fieldrule.Set
	Search      *search.Bound
	Ordering    *ordering.Bound
	Expression  *expression.Bound    // of the parameter by which clients filter lists; nil without one
	Slug        *BoundSlug           // nil without one
	Version     *conditional.Version // nil without versions
	Shown       map[reflect.Type]scan.Representation
	Inputs      map[reflect.Type]*input.Shape
	Created     *schema.Field
	Updated     *schema.Field
	Uniques     []BoundUnique
	Checks      []BoundCheck
	Sought      []soughtField       // fields that filters find rows by
	Models      []*schema.Table     // of models that only its functions use
	Stores      []*schema.Table     // of rows without a viewset that its lists, links and toggles write
	Needed      []query.NeededTable // tables of its ranked search
	Pairs       []Pair              // columns whose values must be unique together
	Unindexed   map[*schema.Field]bool
	Strict      bool
	Access      access.Check // the default of its endpoints
	Slash       string       // "/" or ""
	Endpoints   []*Endpoint
	Files       []*FileColumn
	Inserting   *sqldb.Template // the INSERT of a row with a value for every column
	Reserved    reserved.List
	InsertSkips error // a hook of the model that Insert would skip; nil without one
	SaveSkips   error // a hook of the model that Save would skip; nil without one
}

// A BoundSlug is a Slug bound to its columns. Package rowslug makes the values.
type BoundSlug struct {
	Field, From query.Field
	Renew       bool
	Max         int
}

// A BoundUnique is a unique constraint with its columns.
type BoundUnique struct {
	declare.Unique
	Columns []string
}

// Field finds a field by its client's name, or else by the name of its column. The error of an
// unknown name suggests the nearest name, if one is near. For the name of a relation, it
// suggests the foreign key.
func (r *Resource) Field(name string) (query.Field, error) {
	if f, ok := r.Names[name]; ok {
		return f, nil
	}
	for _, column := range r.Table.Fields {
		if column.Name == name {
			return r.FieldOf(name, column), nil
		}
	}
	for relation := range r.Table.Relations {
		if strings.EqualFold(relation, name) {
			return query.Field{}, naming.Sentence("no field %q in %s: %s is a relation; name a column of the row itself%s", name, r.Model.Name(), relation, r.foreignKey(relation))
		}
	}
	if _, err := bunmodel.Named(r.Table, name); err != nil { // several columns
		return query.Field{}, err
	}
	known := make([]string, 0, len(r.Names))
	for n := range r.Names {
		known = append(known, n)
	}
	slices.Sort(known)
	for _, column := range r.Table.Fields {
		known = append(known, column.Name)
	}
	return query.Field{}, naming.Sentence("no field %q in %s%s", name, r.Model.Name(), naming.DidYouMean(name, known))
}

// foreignKey suggests the foreign key of a relation, after a comma. It is empty if the relation
// has several columns in the model, or only the primary key.
func (r *Resource) foreignKey(relation string) string {
	base := r.Table.Relations[relation].BasePKs
	if len(base) != 1 || base[0] == r.Pk {
		return ""
	}
	return ", " + strconv.Quote(base[0].Name)
}

// FieldOf describes a column under a name.
func (r *Resource) FieldOf(name string, column *schema.Field) query.Field {
	values, _ := datatype.EnumValues(column.IndirectType) // bind reports its error
	return query.Field{
		Enum: datatype.ValueWords(values),
		Name: name, GoName: column.GoName, Type: column.IndirectType, Alias: r.Table.Alias, Column: column, Table: r.Table,
		Nullable: column.IsPtr || column.NullZero,
	}
}

// PrimaryKey is the field of the primary key.
func (r *Resource) PrimaryKey() query.Field { return r.FieldOf(r.Pk.Name, r.Pk) }

// Find finds another registered resource by its path.
func (r *Resource) Find(path string) (query.Source, error) {
	found, err := r.API.LookUp(path)
	if err != nil {
		return nil, err // a nil *Resource would make a Source that is not nil
	}
	return found, nil
}

// Ignores decides what happens to a part of a request that has no effect. If the resource is
// lenient, Ignores adds the note to the header Trestle-Ignored and returns true. If the
// resource is strict, it only returns false, and the caller must reject the request.
func (r *Resource) Ignores(c *call.Call, note string) bool {
	if r.Strict {
		return false
	}
	p := state.Of(c).Progress
	p.Ignored = append(p.Ignored, note)
	return true
}

// Rows starts a query of the rows in the caller's scope.
func (r *Resource) Rows(c *call.Call) *bun.SelectQuery {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model))
	r.Scope.Narrow(c, q.QueryBuilder())
	return q
}

// Keys starts a subquery of primary keys, without the scope.
func (r *Resource) Keys(c *call.Call) *bun.SelectQuery {
	return c.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).ColumnExpr("?TableAlias.?", bun.Ident(r.Pk.Name))
}

// ScopedKeys is a subquery of the primary keys that are in scope when the caller lists the
// resource, whichever endpoint is running.
func (r *Resource) ScopedKeys(c *call.Call) *bun.SelectQuery {
	q := r.Keys(c)
	r.Scope.Narrow(r.Looking(c), q.QueryBuilder())
	return q
}

// Narrowed reports whether the scope may leave out rows when the caller lists the resource.
func (r *Resource) Narrowed(c *call.Call) bool { return !r.Scope.Lifted(r.Looking(c)) }

// Looking returns the call as if it listed the resource.
func (r *Resource) Looking(c *call.Call) *call.Call { return access.ForList(c, r.Path) }

// Has reports whether a row exists and is in scope when the caller lists the resource.
func (r *Resource) Has(c *call.Call, key any) (bool, error) { return r.finds(c, r.ScopedKeys(c), key) }

// Owns reports whether a row is in the caller's scope, even if the scope is lifted.
func (r *Resource) Owns(c *call.Call, key any) (bool, error) {
	q := r.Keys(c)
	r.Scope.own(c, q.QueryBuilder())
	return r.finds(c, q, key)
}

// Visible returns those of some primary keys whose rows are in scope when the caller lists the resource.
func (r *Resource) Visible(c *call.Call, keys []any) (map[any]bool, error) {
	return relation.Having(c, r.API.Staying(c, r.Table.Name, r.ScopedRows(c)), r.Pk, keys)
}

// Owned returns those of some primary keys whose rows are in the caller's scope, even if the scope is lifted.
func (r *Resource) Owned(c *call.Call, keys []any) (map[any]bool, error) {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model))
	r.Scope.own(c, q.QueryBuilder())
	return relation.Having(c, r.API.Staying(c, r.Table.Name, q), r.Pk, keys)
}

func (r *Resource) finds(c *call.Call, keys *bun.SelectQuery, key any) (bool, error) {
	return r.Any(c, r.API.Staying(c, r.Table.Name, keys.Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), sqldb.Param(key))))
}

// Any reports whether a query has a row.
func (r *Resource) Any(c *call.Call, q *bun.SelectQuery) (bool, error) {
	found, err := c.Session().Read(c, q)
	return err == nil && found.Len() > 0, err
}

// ItemPath is the canonical pattern of one row.
func (r *Resource) ItemPath() string {
	if r.Declaration.Single {
		return r.ListPath()
	}
	return r.pattern() + "/:id" + r.Slash
}

// ListPath is the canonical pattern of the whole resource.
func (r *Resource) ListPath() string { return r.pattern() + r.Slash }

// DeclaredKey returns the column whose value is in the paths of objects. It is nil if Lookup
// is not a field, which is a mistake.
func (r *Resource) DeclaredKey() *schema.Field {
	if r.Declaration.Lookup == "" {
		return r.Pk
	}
	f, err := r.Field(r.Declaration.Lookup)
	if err != nil {
		return nil
	}
	return f.Column
}

// KeyName is the name of the key in the paths of rows.
func (r *Resource) KeyName() string {
	if r.Declaration.Lookup != "" {
		return r.Declaration.Lookup
	}
	return "id"
}

// Entries lists the paths of a resource in the API root: its own path or, if it serves nothing
// there, the paths of its actions that contain no key. A nested viewset has none.
func (r *Resource) Entries() []string {
	var paths []string
	if r.Above != nil {
		return nil
	}
	for _, e := range r.Endpoints {
		switch {
		case e.Pattern == r.ListPath():
			return []string{e.Pattern}
		case !strings.Contains(e.Pattern, ":") && !slices.Contains(paths, e.Pattern):
			paths = append(paths, e.Pattern)
		}
	}
	return paths
}

// HasAddresses reports whether single rows have a path: the resource is single, or a verb is
// served at the path of one row.
func (r *Resource) HasAddresses() bool {
	verbs := r.Declaration.Verbs
	return r.Declaration.Single || slices.ContainsFunc(verbs, func(v declare.NamedVerb) bool { return v.Kind != declare.VerbAbsent && v.OnObject() })
}

// RowPath is the path of a row below the prefix. It is empty if the viewset serves no single
// rows, if the key is nil or zero, or if it is "." or "..". A single resource has one path for
// every key. above are the keys of the rows above that the path of the request has.
func (r *Resource) RowPath(above []any, key reflect.Value) string {
	if !r.HasAddresses() {
		return ""
	}
	return r.pathOf(above, key)
}

// pathOf is RowPath for a viewset that may serve files of its rows only.
func (r *Resource) pathOf(above []any, key reflect.Value) string {
	key = reflect.Indirect(key)
	switch {
	case r.Declaration.Single:
		return r.ListPath()
	case !key.IsValid() || key.IsZero():
		return ""
	}
	text := fmt.Sprint(key.Interface())
	if text == "." || text == ".." { // clients remove these segments from a path
		return ""
	}
	return r.baseBelow(above) + "/" + url.PathEscape(text) + r.Slash
}

// A soughtField is a field by which a filter finds rows. Scans is true if an index on the field
// itself does not help the filter.
type soughtField struct {
	Place string
	Field query.Field
	Scans bool
}

// Seeks notes the fields by which a filter of the list finds rows.
func (r *Resource) Seeks(place string, scans bool, fields []query.Field) {
	for _, f := range fields {
		r.Sought = append(r.Sought, soughtField{place, f, scans})
	}
}

// A Pair is the two keys of a join table: a row is linked to another row once.
type Pair struct {
	Place string
	Table *schema.Table
	Keys  [2]*schema.Field
}

// BindUnindexed binds the fields that need no index, and reports each unknown one.
func (r *Resource) BindUnindexed(fault func(place string, err error)) {
	r.Unindexed = map[*schema.Field]bool{}
	for _, name := range r.Declaration.Unindexed {
		f, err := r.FieldAt(name)
		switch {
		case err != nil:
			fault("unindexed", err)
		case f.Related == nil && f.Expression == nil:
			r.Unindexed[f.Column] = true
		}
	}
}

// Accepts reports whether Unindexed lists a path or an expression.
func (r *Resource) Accepts(f query.Field) bool {
	return slices.Contains(r.Declaration.Unindexed, f.Name)
}

// A BoundCheck is a CHECK constraint with its columns.
type BoundCheck struct {
	declare.Check
	Columns []string
}
