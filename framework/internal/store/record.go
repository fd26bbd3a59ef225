package store

import (
	"database/sql/driver"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// Record records a change of a row.
func Record(c *call.Call, r *table.Resource, change table.Change) error {
	entry, err := entries(c, r)(change)
	if err == nil && entry != nil {
		_, err = c.Session().Exec(c, entry)
	}
	if err == nil && r.Observed() {
		err = r.API.Recorder.Record(c, change)
	}
	return err
}

// entries is Entries of the history of the table. Without a history, no change has an entry.
func entries(c *call.Call, r *table.Resource) func(table.Change) (schema.QueryAppender, error) {
	if h := r.API.Histories[r.Table.Name]; h != nil {
		return h.Entries(c)
	}
	return func(table.Change) (schema.QueryAppender, error) { return nil, nil } //nolint:nilnil // no statement
}

// recordedBefore reads a row that is about to change by its primary key, even if it is soft-deleted, and locks
// it on PostgreSQL. It does not copy m, which has the new values. Without a recorder it reads nothing and
// returns an invalid value.
func recordedBefore(c *call.Call, r *table.Resource, m reflect.Value) (before reflect.Value, err error) {
	if !r.Recorded() {
		return before, nil
	}
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model))
	r.NarrowToKey(q.QueryBuilder(), m)
	if r.Table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted()
	}
	if before, err = r.Read(c, q); err != nil {
		return before, err
	}
	return before.Elem(), nil
}

// changeOf is the change of a row that was inserted or updated, as it is stored. If before is not valid, the row
// was inserted.
func changeOf(r *table.Resource, before, after reflect.Value) table.Change {
	change := table.Change{ViewSet: r.Path, Verb: call.VerbCreate, Key: r.Pk.Value(after).Interface(), After: after.Addr().Interface()}
	if before.IsValid() {
		change.Verb, change.Before = call.VerbUpdate, before.Addr().Interface()
	}
	return change
}

// writeRecorded inserts or updates one row by a statement that returns all its columns, and records the change. It returns the row as
// it is stored. If before is not valid, the row was inserted. The key may be one that is not known yet. If the statement changes
// no row, the error is NotFound.
func writeRecorded(c *call.Call, r *table.Resource, q schema.QueryAppender, key any, before reflect.Value) (after reflect.Value, err error) {
	entry := entries(c, r)
	var stored reflect.Value // counts only without an error, because the function may still run after one
	written, err := c.Session().WriteThen(c, q, key, func(done []*sqldb.Result) (schema.QueryAppender, error) {
		if len(done) > 1 || done[0].Len() != 1 {
			return nil, nil //nolint:nilnil // no statement
		}
		row, err := scanned(r, done[0].Row(0))
		if err != nil {
			return nil, err
		}
		stored = row
		return entry(changeOf(r, before, row))
	})
	if err == nil {
		err = scan.Only(written[0].Len())
	}
	if err == nil && r.Observed() {
		err = r.API.Recorder.Record(c, changeOf(r, before, stored))
	}
	if err != nil {
		return after, err
	}
	return stored, nil
}

// scanned makes a row of the values of its columns, in their order.
func scanned(r *table.Resource, values []driver.Value) (reflect.Value, error) {
	row := bunmodel.New(r.Table).Elem()
	for i, f := range r.Table.Fields {
		cell := &cell.Scanner{Column: f, Value: f.Value(row)}
		if err := cell.Scan(values[i]); err != nil {
			return row, err
		}
	}
	return row, nil
}

// columns lists the columns of the table for RETURNING.
func columns(r *table.Resource) string {
	var names []string
	for _, f := range r.Table.Fields {
		names = append(names, naming.Quote(f.Name))
	}
	return strings.Join(names, ", ")
}

// RecordDeleted records a row that was deleted, given as a pointer to its model as it was
// before. Without a recorder it does nothing.
func RecordDeleted(c *call.Call, r *table.Resource, before reflect.Value) error {
	if !r.Recorded() {
		return nil
	}
	return Record(c, r, table.Change{
		ViewSet: r.Path, Verb: call.VerbDelete, Key: r.Pk.Value(before.Elem()).Interface(), Before: before.Interface(),
	})
}

// UpdateRecorded changes the row that the path names, as [Updating] does, and adds the entry of the change to the
// history of the table. It returns a pointer to the row as it is stored. Without a row, the error is
// NotFound. It does not call the Recorder of the API.
func UpdateRecorded(c *call.Call, r *table.Resource, req *table.Request, set []Assignment) (m reflect.Value, err error) {
	statements := updateWithBefore(c, r, req, set)
	entry := entries(c, r)
	var after reflect.Value // counts only without an error, because the function may still run after one
	done, err := c.Session().WriteThen(c, statements[0], req.Key, func(done []*sqldb.Result) (schema.QueryAppender, error) {
		switch n := done[len(done)-1].Len(); {
		case len(done) > len(statements) || n == 0:
			return nil, nil //nolint:nilnil // no statement
		case n > 1:
			return nil, scan.Only(n)
		case len(done) < len(statements):
			return statements[len(done)], nil
		}
		before, stored, err := bothStates(r, done)
		if err != nil {
			return nil, err
		}
		after = stored
		return entry(changeOf(r, before, stored))
	})
	if err == nil {
		err = scan.Only(done[min(len(done), len(statements))-1].Len())
	}
	if err != nil {
		return m, err
	}
	r.Link(after)
	return after.Addr(), nil
}

// beforeName begins the names of the row before an update and of its columns. No model has such a name, so that a name in the
// update itself means a column of the table.
const beforeName = "trestle: before "

// updateWithBefore makes the statements of an update that return the row before and after it. On PostgreSQL, one statement returns the columns after the
// update and then those before it, which it locks first. On SQLite, a query
// returns the columns before it, because RETURNING cannot, and a second statement those after it.
func updateWithBefore(c *call.Call, r *table.Resource, req *table.Request, set []Assignment) []schema.QueryAppender {
	before, update := r.Object(c, req), Updating(c, r, req, set)
	if r.API.DB.Kind() == sqldb.SQLite {
		return []schema.QueryAppender{before, update.Returning(columns(r))}
	}
	returning := []string{}
	for i, f := range r.Table.Fields {
		old := beforeName + strconv.Itoa(i)
		before = before.ColumnExpr("?TableAlias.? AS ?", bun.Ident(f.Name), bun.Ident(old))
		returning = append(returning, naming.Quote(old))
		if slices.Contains(r.Table.PKs, f) {
			update = update.Where("?TableAlias.? = ?", bun.Ident(f.Name), bun.Ident(old))
		}
	}
	update = update.TableExpr("(?) AS ?", r.API.DB.Kind().ForUpdate(before), bun.Ident(beforeName))
	return []schema.QueryAppender{update.Returning(columns(r) + ", " + strings.Join(returning, ", "))}
}

// bothStates returns the row before and after an update, from the results of updateWithBefore.
func bothStates(r *table.Resource, done []*sqldb.Result) (before, after reflect.Value, err error) {
	n := len(r.Table.Fields)
	var old, stored []driver.Value
	if r.API.DB.Kind() == sqldb.SQLite {
		old, stored = done[0].Row(0), done[1].Row(0)
	} else {
		row := done[0].Row(0)
		stored, old = row[:n], row[n:]
	}
	if before, err = scanned(r, old); err != nil {
		return before, after, err
	}
	after, err = scanned(r, stored)
	return before, after, err
}
