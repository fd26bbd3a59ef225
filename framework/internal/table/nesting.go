package table

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/sqldb"
)

// A Nesting places the rows of a viewset below those of its parent. Package nested makes it.
type Nesting struct {
	Parent    *Resource
	Column    *schema.Field // the foreign key, in the rows of the viewset
	ByWriters bool          // who adds, changes or deletes a row may change the parent's row
}

// Depth is the number of keys in a path before that of a row.
func (r *Resource) Depth() int {
	if r.Above == nil {
		return 0
	}
	return r.Above.Parent.Depth() + 1
}

// Rows is the subquery of the keys of the parent's rows that the caller may see or, if changes is
// set, may change. With the keys of a path, it has only the row that the path names.
func (n *Nesting) Rows(c *call.Call, path []any, changes bool) *bun.SelectQuery {
	as, q := n.Parent.Looking(c), n.Parent.Keys(c)
	if changes {
		updating := *c
		updating.Route = call.Route{ViewSet: n.Parent.Path, Name: call.VerbUpdate, Method: http.MethodPut}
		as = &updating
	}
	if last := len(path) - 1; last >= 0 {
		n.Parent.NarrowTo(as, &Request{Key: path[last], Above: path[:last], Changes: changes}, q.QueryBuilder())
		return q
	}
	n.Parent.Scope.Narrow(as, q.QueryBuilder())
	if changes {
		n.Parent.Writers.Narrow(as, q.QueryBuilder())
	}
	return q
}

// narrow leaves the rows below those that Rows selects.
func (n *Nesting) narrow(c *call.Call, path []any, changes bool, q bun.QueryBuilder) {
	q.Where("?TableAlias.? IN (?)", bun.Ident(n.Column.Name), n.Rows(c, path, changes))
}

// hides reports whether a row may have no parent that the caller sees: the parent may be out of
// scope or deleted softly, or the foreign key may be NULL.
func (n *Nesting) hides(c *call.Call) bool {
	return n.Parent.Table.SoftDeleteField != nil || n.Column.IsPtr || n.Column.NullZero || n.Parent.Narrowed(c)
}

// Listed starts the query of the rows of a list: those in the caller's scope and, in a nested
// viewset, below the parent with this primary key, which the caller may see.
func (r *Resource) Listed(c *call.Call, parent any) *bun.SelectQuery {
	if r.Above == nil {
		return r.Rows(c)
	}
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).Where("?TableAlias.? = ?", bun.Ident(r.Above.Column.Name), sqldb.Param(parent))
	r.Scope.narrowRows(c, q.QueryBuilder())
	return q
}

// noteParent notes the primary key of the parent of the row that the path names.
func (r *Resource) noteParent(c *call.Call, m reflect.Value) {
	if r.Above == nil {
		return
	}
	if key := reflect.Indirect(r.Above.Column.Value(m)); key.IsValid() {
		state.Of(c).Progress.Parent = key.Interface()
	}
}

// base is the path of the resource without its last slash, with the keys of the rows above.
func (r *Resource) base(keys []string) string {
	if r.Above == nil {
		return "/" + r.Path
	}
	last := r.Depth() - 1
	return r.Above.Parent.base(keys[:last]) + "/" + keys[last] + "/" + r.Declaration.Name
}

// AboveParam is the name of the path parameter of a key above, for the router.
func AboveParam(place int) string { return "above" + strconv.Itoa(place) }

// pattern is [Resource.base] with a parameter for each key above.
func (r *Resource) pattern() string {
	keys := make([]string, r.Depth())
	for i := range keys {
		keys[i] = ":" + AboveParam(i)
	}
	return r.base(keys)
}

// PathBelow is the path of the resource below the rows with these keys.
func (r *Resource) PathBelow(above []any) string { return r.baseBelow(above) + r.Slash }

func (r *Resource) baseBelow(above []any) string {
	keys := make([]string, len(above))
	for i, key := range above {
		keys[i] = url.PathEscape(fmt.Sprint(key))
	}
	return r.base(keys)
}
