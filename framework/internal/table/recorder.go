package table

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
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// A Change is one row that a write of the framework changed.
type Change struct {
	ViewSet string // the path of the viewset that stores the row
	Verb    string // the change of the row: create, update, delete or restore; Call.Route names the request
	Key     any    // the primary key; if it has two columns, the one that is not the foreign key
	// Before and After are the row before and after the change, as pointers to copies of the
	// model without its relations. Before is nil for a new or restored row, After for a deleted one.
	Before, After any
}

// A Recorder is called for each row that the framework changes: by the verbs that accept
// an input, by Deletes, and by Save and Insert in functions. It is not called for rows that
// a function, or the database itself, changes with statements of their own. The Recorder of an
// API is the first of its observers that has the method.
//
// Record is called inside the transaction of the write, after the statement that changes
// the row. If it returns an error, the write is rolled back and the request gets this error.
// If the transaction runs again, Record is called again for the new run. So Record must not
// have effects outside of the transaction: it writes by the call's DB.
type Recorder interface {
	Record(c *call.Call, change Change) error
}

// recorderOf returns the first of the observers that is a Recorder too, nil without one.
func recorderOf(observers []call.Observer) Recorder {
	for _, o := range observers {
		if recorder, ok := o.(Recorder); ok {
			return recorder
		}
	}
	return nil
}

// A History records the changes of a table by a statement for each change.
type History interface {
	// Entries returns a function that makes the statement which stores the entry of a change, nil if the
	// change has no entry. The function does not use the call, which may have ended.
	Entries(c *call.Call) func(Change) (schema.QueryAppender, error)
}

// Recorded reports whether changes of the rows are recorded: by the history of their table, or by the
// Recorder of the API.
func (r *Resource) Recorded() bool {
	return r.API.Recorder != nil || r.API.Histories[r.Table.Name] != nil
}

// Observed reports whether the Recorder of the API records the changes of the rows. It runs inside of the
// transaction of the change.
func (r *Resource) Observed() bool { return r.API.Recorder != nil }

// Record records a change of a row.
func (r *Resource) Record(c *call.Call, change Change) error {
	entry, err := r.entries(c)(change)
	if err == nil && entry != nil {
		_, err = c.Session().Exec(c, entry)
	}
	if err == nil && r.Observed() {
		err = r.API.Recorder.Record(c, change)
	}
	return err
}

// entries is Entries of the history of the table. Without a history, no change has an entry.
func (r *Resource) entries(c *call.Call) func(Change) (schema.QueryAppender, error) {
	if h := r.API.Histories[r.Table.Name]; h != nil {
		return h.Entries(c)
	}
	return func(Change) (schema.QueryAppender, error) { return nil, nil } //nolint:nilnil // no statement
}

// recordedBefore reads a row that is about to change by its primary key, even if it is soft-deleted, and locks
// it on PostgreSQL. It does not copy m, which has the new values. Without a recorder it reads nothing and
// returns an invalid value.
func (r *Resource) recordedBefore(c *call.Call, m reflect.Value) (before reflect.Value, err error) {
	if !r.Recorded() {
		return before, nil
	}
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model))
	r.narrowToKey(q.QueryBuilder(), m)
	if r.Table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted()
	}
	if before, err = r.read(c, q); err != nil {
		return before, err
	}
	return before.Elem(), nil
}

// stored is the change of a row that was inserted or updated, as it is stored. If before is not valid, the row
// was inserted.
func (r *Resource) stored(before, after reflect.Value) Change {
	change := Change{ViewSet: r.Path, Verb: call.VerbCreate, Key: r.Pk.Value(after).Interface(), After: after.Addr().Interface()}
	if before.IsValid() {
		change.Verb, change.Before = call.VerbUpdate, before.Addr().Interface()
	}
	return change
}

// writeRecorded inserts or updates one row by a statement that returns all its columns, and records the change. It returns the row as
// it is stored. If before is not valid, the row was inserted. The key may be one that is not known yet. If the statement changes
// no row, the error is NotFound.
func (r *Resource) writeRecorded(c *call.Call, q schema.QueryAppender, key any, before reflect.Value) (after reflect.Value, err error) {
	entry := r.entries(c)
	var stored reflect.Value // counts only without an error, because the function may still run after one
	written, err := c.Session().WriteThen(c, q, key, func(done []*sqldb.Result) (schema.QueryAppender, error) {
		if len(done) > 1 || done[0].Len() != 1 {
			return nil, nil //nolint:nilnil // no statement
		}
		row, err := r.scanned(done[0].Row(0))
		if err != nil {
			return nil, err
		}
		stored = row
		return entry(r.stored(before, row))
	})
	if err == nil {
		err = Only(written[0].Len())
	}
	if err == nil && r.Observed() {
		err = r.API.Recorder.Record(c, r.stored(before, stored))
	}
	if err != nil {
		return after, err
	}
	return stored, nil
}

// scanned makes a row of the values of its columns, in their order.
func (r *Resource) scanned(values []driver.Value) (reflect.Value, error) {
	row := bunmodel.New(r.Table).Elem()
	for i, f := range r.Table.Fields {
		cell := &ColumnCell{Column: f, Value: f.Value(row)}
		if err := cell.Scan(values[i]); err != nil {
			return row, err
		}
	}
	return row, nil
}

// columns lists the columns of the table for RETURNING.
func (r *Resource) columns() string {
	var names []string
	for _, f := range r.Table.Fields {
		names = append(names, naming.Quote(f.Name))
	}
	return strings.Join(names, ", ")
}

// RecordDeleted records a row that was deleted, given as a pointer to its model as it was
// before. Without a recorder it does nothing.
func (r *Resource) RecordDeleted(c *call.Call, before reflect.Value) error {
	if !r.Recorded() {
		return nil
	}
	return r.Record(c, Change{
		ViewSet: r.Path, Verb: call.VerbDelete, Key: r.Pk.Value(before.Elem()).Interface(), Before: before.Interface(),
	})
}

// UpdateRecorded changes the row that the path names, as [Resource.Updating] does, and adds the entry of the change to the
// history of the table. It returns a pointer to the row as it is stored. Without a row, the error is
// NotFound. It does not call the Recorder of the API.
func (r *Resource) UpdateRecorded(c *call.Call, req *Request, set []Assignment) (m reflect.Value, err error) {
	statements := r.updateWithBefore(c, req, set)
	entry := r.entries(c)
	var after reflect.Value // counts only without an error, because the function may still run after one
	done, err := c.Session().WriteThen(c, statements[0], req.Key, func(done []*sqldb.Result) (schema.QueryAppender, error) {
		switch n := done[len(done)-1].Len(); {
		case len(done) > len(statements) || n == 0:
			return nil, nil //nolint:nilnil // no statement
		case n > 1:
			return nil, Only(n)
		case len(done) < len(statements):
			return statements[len(done)], nil
		}
		before, stored, err := r.bothStates(done)
		if err != nil {
			return nil, err
		}
		after = stored
		return entry(r.stored(before, stored))
	})
	if err == nil {
		err = Only(done[min(len(done), len(statements))-1].Len())
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
func (r *Resource) updateWithBefore(c *call.Call, req *Request, set []Assignment) []schema.QueryAppender {
	before, update := r.Object(c, req), r.Updating(c, req, set)
	if r.API.DB.Kind() == sqldb.SQLite {
		return []schema.QueryAppender{before, update.Returning(r.columns())}
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
	return []schema.QueryAppender{update.Returning(r.columns() + ", " + strings.Join(returning, ", "))}
}

// bothStates returns the row before and after an update, from the results of updateWithBefore.
func (r *Resource) bothStates(done []*sqldb.Result) (before, after reflect.Value, err error) {
	n := len(r.Table.Fields)
	var old, stored []driver.Value
	if r.API.DB.Kind() == sqldb.SQLite {
		old, stored = done[0].Row(0), done[1].Row(0)
	} else {
		row := done[0].Row(0)
		stored, old = row[:n], row[n:]
	}
	if before, err = r.scanned(old); err != nil {
		return before, after, err
	}
	after, err = r.scanned(stored)
	return before, after, err
}
