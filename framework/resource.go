package framework

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// A resource is a declaration that knows its columns: what a request meets.
// It is not changed after registration.
type resource struct {
	api         *registry
	declaration *declaration
	path        string // "manage/doctors"
	model       reflect.Type
	table       *schema.Table
	pk          *schema.Field
	key         *schema.Field // what item paths carry
	names       map[string]Field
	scope       boundScope
	search      *boundSearch
	ordering    *boundOrdering
	shown       map[reflect.Type]representation
	inputs      map[reflect.Type]*input.Shape
	created     *schema.Field
	updated     *schema.Field
	uniques     []boundUnique
	checks      []boundCheck
	sought      []soughtField
	models      []*schema.Table // of models that only its functions use
	needed      []NeededTable   // by a search of it
	unindexed   map[*schema.Field]bool
	strict      bool
	door        door   // of the viewset as a whole
	slash       string // "/" or ""
	endpoints   []*endpoint
	inserting   *sqldb.Template // of a new row with all its values
	reserved    []reservation   // values that no row may have
	insertSkips error           // a hook of the model that Insert would skip
	saveSkips   error           // a hook of the model that Save would skip
}

type boundUnique struct {
	unique
	columns []string
}

// field finds a field by its client's name, or by its column.
func (r *resource) Field(name string) (Field, error) {
	if f, ok := r.names[name]; ok {
		return f, nil
	}
	for _, column := range r.table.Fields {
		if column.Name == name {
			return r.fieldOf(name, column), nil
		}
	}
	for relation := range r.table.Relations {
		if strings.EqualFold(relation, name) {
			return Field{}, naming.Sentence("no field %q in %s: %s is a relation; name a column of the row itself%s", name, r.model.Name(), relation, r.foreignKey(relation))
		}
	}
	known := make([]string, 0, len(r.names))
	for n := range r.names {
		known = append(known, n)
	}
	slices.Sort(known)
	for _, column := range r.table.Fields {
		known = append(known, column.Name)
	}
	return Field{}, naming.Sentence("no field %q in %s%s", name, r.model.Name(), naming.DidYouMean(name, known))
}

// foreignKey suggests the column that a relation goes through.
func (r *resource) foreignKey(relation string) string {
	base := r.table.Relations[relation].BasePKs
	if len(base) != 1 || base[0] == r.pk {
		return ""
	}
	return ", " + strconv.Quote(base[0].Name)
}

func (r *resource) fieldOf(name string, column *schema.Field) Field {
	values, _ := input.EnumValues(column.IndirectType) // a mistake in them is told with the shapes
	return Field{
		Enum: input.ValueWords(values),
		Name: name, GoName: column.GoName, Type: column.IndirectType, Alias: r.table.Alias, Column: column,
		Nullable: column.IsPtr || column.NullZero,
	}
}

// PrimaryKey is the field of the primary key.
func (r *resource) PrimaryKey() Field { return r.fieldOf(r.pk.Name, r.pk) }

// Find finds another registered resource by its path.
func (r *resource) Find(path string) (Source, error) { return r.api.lookUp(path) }

// clientName is what clients call a column, or "" if they never see it.
func (r *resource) clientName(column string) string {
	for name, f := range r.names {
		if f.Column.Name == column {
			return name
		}
	}
	return ""
}

// rows starts a query on the rows that the caller has.
func (r *resource) rows(c *Call) *bun.SelectQuery {
	q := c.DB.NewSelect().Model(nilModel(r.model))
	r.scope.narrow(c, q.QueryBuilder())
	return q
}

// keys starts a subquery of primary keys, not narrowed.
func (r *resource) keys(c *Call) *bun.SelectQuery {
	return c.DB.NewSelect().Model(nilModel(r.model)).ColumnExpr("?TableAlias.?", bun.Ident(r.pk.Name))
}

// scopedKeys is a subquery of the primary keys that the caller may see,
// whatever is being done elsewhere.
func (r *resource) ScopedKeys(c *Call) *bun.SelectQuery {
	q := r.keys(c)
	r.scope.narrow(r.looking(c), q.QueryBuilder())
	return q
}

// narrowed reports whether the scope leaves out any rows for a caller who
// looks at them.
func (r *resource) Narrowed(c *Call) bool { return !r.scope.lifted(r.looking(c)) }

// looking is the call as one that only lists the resource.
func (r *resource) looking(c *Call) *Call { return looking(c, r.path) }

// has reports whether the caller may see a row.
func (r *resource) has(c *Call, key any) (bool, error) { return r.finds(c, r.ScopedKeys(c), key) }

// owns reports whether a row is the caller's own, whatever lifts the scope.
func (r *resource) owns(c *Call, key any) (bool, error) {
	q := r.keys(c)
	r.scope.own(c, q.QueryBuilder())
	return r.finds(c, q, key)
}

func (r *resource) finds(c *Call, keys *bun.SelectQuery, key any) (bool, error) {
	return r.any(c, keys.Where("?TableAlias.? = ?", bun.Ident(r.pk.Name), sqldb.Param(key)))
}

// any reports whether a query has a row.
func (r *resource) any(c *Call, q *bun.SelectQuery) (bool, error) {
	found, err := c.Session().Read(c, q)
	return err == nil && found.Len() > 0, err
}

// itemPath is the canonical pattern of one object.
func (r *resource) itemPath() string {
	if r.declaration.single {
		return "/" + r.path + r.slash
	}
	return "/" + r.path + "/:id" + r.slash
}

func (r *resource) listPath() string { return "/" + r.path + r.slash }

// keyName is what the routes call the part of the path that finds a row.
func (r *resource) keyName() string {
	if r.declaration.lookup != "" {
		return r.declaration.lookup
	}
	return "id"
}

// entries are the paths by which clients enter a resource: its own, or those
// of its actions where nothing is offered at its own.
func (r *resource) entries() []string {
	var paths []string
	for _, e := range r.endpoints {
		switch {
		case e.pattern == r.listPath():
			return []string{e.pattern}
		case !strings.Contains(e.pattern, ":") && !slices.Contains(paths, e.pattern):
			paths = append(paths, e.pattern)
		}
	}
	return paths
}

// hasAddresses reports whether rows have addresses of their own: an endpoint of the
// viewset, with any method, that is served at the path of one row.
func (r *resource) hasAddresses() bool {
	verbs := r.declaration.verbs
	return r.declaration.single || slices.ContainsFunc(verbs, func(v namedVerb) bool { return v.kind != verbAbsent && v.onObject() })
}

// rowPath is the path of a row below the prefix; empty if it has none.
func (r *resource) rowPath(key reflect.Value) string {
	key = reflect.Indirect(key)
	switch {
	case !r.hasAddresses():
		return ""
	case r.declaration.single:
		return r.listPath()
	case !key.IsValid() || key.IsZero():
		return ""
	}
	text := fmt.Sprint(key.Interface())
	if text == "." || text == ".." { // clients take these segments out of a path
		return ""
	}
	return "/" + r.path + "/" + url.PathEscape(text) + r.slash
}

// A soughtField is one that a filter finds rows by.
type soughtField struct {
	place string
	field Field
}

// seeks notes what a filter of the list finds rows by.
func (r *resource) seeks(place string, bound BoundFilter, facts *Facts) {
	for _, f := range facts.Asked {
		if !bound.Scans {
			r.sought = append(r.sought, soughtField{place, f})
		}
	}
}

func (r *resource) bindUnindexed(fault func(place string, err error)) {
	r.unindexed = map[*schema.Field]bool{}
	for _, name := range r.declaration.unindexed {
		f, err := r.Field(name)
		if err != nil {
			fault("unindexed", err)
			continue
		}
		r.unindexed[f.Column] = true
	}
}
