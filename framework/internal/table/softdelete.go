package table

import (
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/cell"
)

// ParamDeleted is the parameter by which a caller requests deleted rows.
const ParamDeleted = "deleted"

// DeletesSoftly reports whether a viewset of the table declares SoftDelete.
func (r *Resource) DeletesSoftly() bool { return r.API.Softly[r.Table.Name] }

// Staying locks the rows of a table that a query selects, to which the request is about to refer: no other request can delete
// them before the transaction ends. The database does that itself for rows that are not deleted softly.
func (a *Registry) Staying(c *call.Call, table string, q *bun.SelectQuery) *bun.SelectQuery {
	if c.Session().InTx() && a.Softly[table] {
		return a.DB.Kind().ForKeyShare(q)
	}
	return q
}

// ErasedModelOf is [Resource.ModelOf] of a row that may be deleted softly. If several rows have the key of the path, it is the
// one that was deleted last.
func (r *Resource) ErasedModelOf(c *call.Call, req *Request) (reflect.Value, error) {
	return r.modelIn(c, req, r.newestDeleted(r.Object(c, req).WhereAllWithDeleted()).Limit(1))
}

// Erased is the query of the deleted rows that the path names: if several have its key, the one that was deleted last is the first.
func (r *Resource) Erased(c *call.Call, req *Request) *bun.SelectQuery {
	return r.newestDeleted(r.Object(c, req).WhereDeleted())
}

// newestDeleted orders a query by the time of the deletion, the last first. A row that is not deleted comes after all that are.
func (r *Resource) newestDeleted(q *bun.SelectQuery) *bun.SelectQuery {
	deleted := bun.Ident(r.Table.SoftDeleteField.Name)
	return q.OrderExpr("?TableAlias.? IS NULL, ?TableAlias.? DESC, ?TableAlias.? DESC", deleted, deleted, bun.Ident(r.Pk.Name))
}

// IsErased reports whether a row is deleted softly.
func (r *Resource) IsErased(m reflect.Value) bool {
	deleted := r.Table.SoftDeleteField
	return deleted != nil && !cell.IsNull(deleted, m)
}
