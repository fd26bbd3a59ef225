package table

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// ParamDeleted is the parameter by which a caller requests deleted rows.
const ParamDeleted = "deleted"

// DeletesSoftly reports whether a viewset of the table declares SoftDelete.
func (r *Resource) DeletesSoftly() bool { return r.API.Softly[r.Table.Name] }

// markOf returns the column by which rows of a table are marked as deleted, "" if no model has one that can be NULL.
func (a *Registry) markOf(table string) string {
	for _, t := range a.DB.Dialect().Tables().All() {
		if deleted := t.SoftDeleteField; deleted != nil && (deleted.IsPtr || deleted.NullZero) && (sqldb.Fault{Table: table}).On(t.Name) {
			return deleted.Name
		}
	}
	return ""
}

// Staying locks the rows of a table that a query selects, to which the request is about to refer: no other request can delete
// them before the transaction ends. The database does that itself for rows that are not deleted softly.
func (a *Registry) Staying(c *call.Call, table string, q *bun.SelectQuery) *bun.SelectQuery {
	if c.Session().InTx() && a.Softly[table] {
		return a.DB.Kind().ForKeyShare(q)
	}
	return q
}

// LockAll locks the rows with some primary keys, which are about to be deleted, in the order of the keys. If the table's rows are
// deleted by the database, which locks them, it does nothing.
func (r *Resource) LockAll(c *call.Call, keys schema.QueryAppender) error {
	if !r.DeletesSoftly() {
		return nil
	}
	key := bun.Ident(r.Pk.Name)
	_, err := c.Session().Read(c, r.API.DB.Kind().ForUpdate(r.Keys(c).Where("?TableAlias.? IN (?)", key, keys).OrderExpr("?TableAlias.?", key)))
	return err
}

// Unreferenced returns a [RowError] if a row that is not deleted refers to one of the rows with some primary keys, so that the
// database would not delete it. The transaction has just marked these rows as deleted. For rows that the database deletes, it
// returns nil.
func (r *Resource) Unreferenced(c *call.Call, keys schema.QueryAppender) error {
	if !r.DeletesSoftly() {
		return nil
	}
	if err := r.lockMarked(c, keys); err != nil {
		return err
	}
	keeping, err := c.Session().Keeping(c, r.Table.Name, r.Pk.Name, keys, r.API.markOf)
	if err != nil || len(keeping) == 0 {
		return err
	}
	fault := sqldb.Fault{Kind: sqldb.ForeignKey, Referenced: true, Table: r.API.FirstServed(keeping)}
	return &RowError{Resource: r, Fault: fault, Err: naming.Sentence("rows of %s refer to a row of %s, which is not deleted", fault.Table, r.Table.Name)}
}

// lockMarked locks rows that the transaction has marked as deleted, once more. If a request locks a row by FOR KEY SHARE at the
// moment when another one gets FOR UPDATE, PostgreSQL may grant both. For a row that is changed it does not do so. So this lock waits
// for requests that refer to the row by such a lock, and what they store is seen afterwards.
func (r *Resource) lockMarked(c *call.Call, keys schema.QueryAppender) error {
	if r.API.DB.Kind() != sqldb.PostgreSQL {
		return nil
	}
	key := bun.Ident(r.Pk.Name)
	q := r.Keys(c).WhereAllWithDeleted().Where("?TableAlias.? IN (?)", key, keys).OrderExpr("?TableAlias.?", key)
	_, err := c.Session().Read(c, r.API.DB.Kind().ForUpdate(q))
	return err
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
	return deleted != nil && !isNull(deleted, m)
}

// Restore removes the mark of a row that is deleted softly, given as a pointer to its model, counts its changes up, and records the
// change. The row is locked. If it refers to a row that is deleted, the error is 409. Errors of constraints are as [Resource.OfRow] returns them.
func (r *Resource) Restore(c *call.Call, m reflect.Value) error {
	key := Column(r.Pk, m.Elem())
	switch needs, err := c.Session().NeedsDeleted(c, r.Table.Name, r.Pk.Name, key, r.API.markOf); {
	case err != nil:
		return err
	case needs:
		return problem.Conflict(problem.CodeConflict, "A record to which this one belongs is deleted. Restore that one first.")
	}
	if err := r.Admit(c, m); err != nil {
		return err
	}
	if r.Updated != nil {
		r.Updated.Value(m.Elem()).Set(FieldValue(r.Updated, c.Now))
	}
	q := c.DB.NewUpdate().Model(bunmodel.NilModel(r.Model)).Set("? = NULL", bun.Ident(r.Table.SoftDeleteField.Name)).WhereAllWithDeleted()
	for _, a := range r.Touched(c) {
		q = q.Set("? = ?", bun.Ident(a.Column), a.Value)
	}
	r.narrowToKey(q.QueryBuilder(), m.Elem())
	if err := r.updateBlind(c, q); err != nil {
		return r.OfRow(c, m.Elem(), nil, err)
	}
	if !r.Recorded() {
		return nil
	}
	after, err := r.Present(c, m.Elem())
	if err != nil {
		return err
	}
	return r.Record(c, Change{ViewSet: r.Path, Verb: declare.RestoreName, Key: r.Pk.Value(after.Elem()).Interface(), After: after.Interface()})
}
