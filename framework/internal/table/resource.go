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
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Resource is a declaration that knows its columns: what a request meets.
// It is not changed after registration.
type Resource struct {
	API         *Registry
	Declaration *declare.Declaration
	Path        string // "manage/doctors"
	Model       reflect.Type
	Table       *schema.Table
	Pk          *schema.Field
	Key         *schema.Field // what item paths carry
	Names       map[string]query.Field
	Scope       BoundScope
	Search      *BoundSearch
	Ordering    *BoundOrdering
	Shown       map[reflect.Type]Representation
	Inputs      map[reflect.Type]*input.Shape
	Created     *schema.Field
	Updated     *schema.Field
	Uniques     []BoundUnique
	Checks      []BoundCheck
	Sought      []soughtField
	Models      []*schema.Table     // of models that only its functions use
	Needed      []query.NeededTable // by a search of it
	Unindexed   map[*schema.Field]bool
	Strict      bool
	Access      access.Check // of the viewset as a whole
	Slash       string       // "/" or ""
	Endpoints   []*Endpoint
	Inserting   *sqldb.Template // of a new row with all its values
	Reserved    []Reservation   // values that no row may have
	InsertSkips error           // a hook of the model that Insert would skip
	SaveSkips   error           // a hook of the model that Save would skip
}

// A BoundUnique is a unique constraint with its columns.
type BoundUnique struct {
	declare.Unique
	Columns []string
}

// Field finds a field by its client's name, or by its column.
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

// foreignKey suggests the column that a relation goes through.
func (r *Resource) foreignKey(relation string) string {
	base := r.Table.Relations[relation].BasePKs
	if len(base) != 1 || base[0] == r.Pk {
		return ""
	}
	return ", " + strconv.Quote(base[0].Name)
}

// FieldOf describes a column under a name.
func (r *Resource) FieldOf(name string, column *schema.Field) query.Field {
	values, _ := datatype.EnumValues(column.IndirectType) // a mistake in them is told with the shapes
	return query.Field{
		Enum: datatype.ValueWords(values),
		Name: name, GoName: column.GoName, Type: column.IndirectType, Alias: r.Table.Alias, Column: column,
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

// clientName is what clients call a column, or "" if they never see it.
func (r *Resource) clientName(column string) string {
	for name, f := range r.Names {
		if f.Column.Name == column {
			return name
		}
	}
	return ""
}

// Rows starts a query on the rows that the caller has.
func (r *Resource) Rows(c *call.Call) *bun.SelectQuery {
	q := c.DB.NewSelect().Model(NilModel(r.Model))
	r.Scope.Narrow(c, q.QueryBuilder())
	return q
}

// Keys starts a subquery of primary keys, not narrowed.
func (r *Resource) Keys(c *call.Call) *bun.SelectQuery {
	return c.DB.NewSelect().Model(NilModel(r.Model)).ColumnExpr("?TableAlias.?", bun.Ident(r.Pk.Name))
}

// ScopedKeys is a subquery of the primary keys that the caller may see,
// whatever is being done elsewhere.
func (r *Resource) ScopedKeys(c *call.Call) *bun.SelectQuery {
	q := r.Keys(c)
	r.Scope.Narrow(r.Looking(c), q.QueryBuilder())
	return q
}

// Narrowed reports whether the scope leaves out any rows for a caller who
// looks at them.
func (r *Resource) Narrowed(c *call.Call) bool { return !r.Scope.Lifted(r.Looking(c)) }

// Looking is the call as one that only lists the resource.
func (r *Resource) Looking(c *call.Call) *call.Call { return access.ForList(c, r.Path) }

// Has reports whether the caller may see a row.
func (r *Resource) Has(c *call.Call, key any) (bool, error) { return r.finds(c, r.ScopedKeys(c), key) }

// Owns reports whether a row is the caller's own, whatever lifts the scope.
func (r *Resource) Owns(c *call.Call, key any) (bool, error) {
	q := r.Keys(c)
	r.Scope.own(c, q.QueryBuilder())
	return r.finds(c, q, key)
}

func (r *Resource) finds(c *call.Call, keys *bun.SelectQuery, key any) (bool, error) {
	return r.Any(c, keys.Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), sqldb.Param(key)))
}

// Any reports whether a query has a row.
func (r *Resource) Any(c *call.Call, q *bun.SelectQuery) (bool, error) {
	found, err := c.Session().Read(c, q)
	return err == nil && found.Len() > 0, err
}

// ItemPath is the canonical pattern of one object.
func (r *Resource) ItemPath() string {
	if r.Declaration.Single {
		return "/" + r.Path + r.Slash
	}
	return "/" + r.Path + "/:id" + r.Slash
}

// ListPath is the canonical pattern of the whole resource.
func (r *Resource) ListPath() string { return "/" + r.Path + r.Slash }

// KeyName is what the routes call the part of the path that finds a row.
func (r *Resource) KeyName() string {
	if r.Declaration.Lookup != "" {
		return r.Declaration.Lookup
	}
	return "id"
}

// Entries are the paths by which clients enter a resource: its own, or those
// of its actions where nothing is offered at its own.
func (r *Resource) Entries() []string {
	var paths []string
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

// HasAddresses reports whether rows have addresses of their own: an endpoint of the
// viewset, with any method, that is served at the path of one row.
func (r *Resource) HasAddresses() bool {
	verbs := r.Declaration.Verbs
	return r.Declaration.Single || slices.ContainsFunc(verbs, func(v declare.NamedVerb) bool { return v.Kind != declare.VerbAbsent && v.OnObject() })
}

// RowPath is the path of a row below the prefix; empty if it has none.
func (r *Resource) RowPath(key reflect.Value) string {
	key = reflect.Indirect(key)
	switch {
	case !r.HasAddresses():
		return ""
	case r.Declaration.Single:
		return r.ListPath()
	case !key.IsValid() || key.IsZero():
		return ""
	}
	text := fmt.Sprint(key.Interface())
	if text == "." || text == ".." { // clients take these segments out of a path
		return ""
	}
	return "/" + r.Path + "/" + url.PathEscape(text) + r.Slash
}

// A soughtField is one that a filter finds rows by.
type soughtField struct {
	Place string
	Field query.Field
}

// Seeks notes what a filter of the list finds rows by.
func (r *Resource) Seeks(place string, bound query.BoundFilter, facts *query.Facts) {
	for _, f := range facts.Asked {
		if !bound.Scans {
			r.Sought = append(r.Sought, soughtField{place, f})
		}
	}
}

// BindUnindexed finds the fields that need no index.
func (r *Resource) BindUnindexed(fault func(place string, err error)) {
	r.Unindexed = map[*schema.Field]bool{}
	for _, name := range r.Declaration.Unindexed {
		f, err := r.Field(name)
		if err != nil {
			fault("unindexed", err)
			continue
		}
		r.Unindexed[f.Column] = true
	}
}
