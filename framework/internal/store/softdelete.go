package store

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// markOf returns a function that returns the column by which rows of a table are marked as deleted, "" if no model has one that can be
// NULL.
func markOf(a *table.Registry) func(table string) string {
	return func(table string) string {
		for _, t := range a.DB.Dialect().Tables().All() {
			if deleted := t.SoftDeleteField; deleted != nil && (deleted.IsPtr || deleted.NullZero) && (sqldb.Fault{Table: table}).On(t.Name) {
				return deleted.Name
			}
		}
		return ""
	}
}

// LockAll locks the rows with some primary keys, which are about to be deleted, in the order of the keys. If the table's rows are
// deleted by the database, which locks them, it does nothing.
func LockAll(c *call.Call, r *table.Resource, keys schema.QueryAppender) error {
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
func Unreferenced(c *call.Call, r *table.Resource, keys schema.QueryAppender) error {
	if !r.DeletesSoftly() {
		return nil
	}
	if err := lockMarked(c, r, keys); err != nil {
		return err
	}
	keeping, err := c.Session().Keeping(c, r.Table.Name, r.Pk.Name, keys, markOf(r.API))
	if err != nil || len(keeping) == 0 {
		return err
	}
	fault := sqldb.Fault{Kind: sqldb.ForeignKey, Referenced: true, Table: r.API.FirstServed(keeping)}
	return &RowError{Resource: r, Fault: fault, Err: naming.Sentence("rows of %s refer to a row of %s, which is not deleted", fault.Table, r.Table.Name)}
}

// lockMarked locks rows that the transaction has marked as deleted, once more. If a request locks a row by FOR KEY SHARE at the
// moment when another one gets FOR UPDATE, PostgreSQL may grant both. For a row that is changed it does not do so. So this lock waits
// for requests that refer to the row by such a lock, and what they store is seen afterwards.
func lockMarked(c *call.Call, r *table.Resource, keys schema.QueryAppender) error {
	if r.API.DB.Kind() != sqldb.PostgreSQL {
		return nil
	}
	key := bun.Ident(r.Pk.Name)
	q := r.Keys(c).WhereAllWithDeleted().Where("?TableAlias.? IN (?)", key, keys).OrderExpr("?TableAlias.?", key)
	_, err := c.Session().Read(c, r.API.DB.Kind().ForUpdate(q))
	return err
}

// Restore removes the mark of a row that is deleted softly, given as a pointer to its model, counts its changes up, and records the
// change. The row is locked. If it refers to a row that is deleted, the error is 409. Errors of constraints are as [OfRow] returns them.
func Restore(c *call.Call, r *table.Resource, m reflect.Value) error {
	key := cell.Of(r.Pk, m.Elem())
	switch needs, err := c.Session().NeedsDeleted(c, r.Table.Name, r.Pk.Name, key, markOf(r.API)); {
	case err != nil:
		return err
	case needs:
		return problem.Conflict(problem.CodeConflict, "A record to which this one belongs is deleted. Restore that one first.")
	}
	if err := Admit(c, r, m); err != nil {
		return err
	}
	if r.Updated != nil {
		r.Updated.Value(m.Elem()).Set(cell.Value(r.Updated, c.Now))
	}
	q := c.DB.NewUpdate().Model(bunmodel.NilModel(r.Model)).Set("? = NULL", bun.Ident(r.Table.SoftDeleteField.Name)).WhereAllWithDeleted()
	for _, a := range Touched(c, r) {
		q = q.Set("? = ?", bun.Ident(a.Column), a.Value)
	}
	r.NarrowToKey(q.QueryBuilder(), m.Elem())
	if err := updateBlind(c, q); err != nil {
		return OfRow(c, r, m.Elem(), nil, err)
	}
	if !r.Recorded() {
		return nil
	}
	after, err := r.Present(c, m.Elem())
	if err != nil {
		return err
	}
	return Record(c, r, table.Change{ViewSet: r.Path, Verb: declare.RestoreName, Key: r.Pk.Value(after.Elem()).Interface(), After: after.Interface()})
}
