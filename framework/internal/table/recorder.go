package table

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
)

// A Change is one row that a write of the framework changed.
type Change struct {
	ViewSet string // the path of the viewset that stores the row
	Verb    string // the change of the row: create, update or delete; Call.Route names the request
	Key     any    // the primary key; if it has two columns, the one that is not the foreign key
	// Before and After are the row before and after the change, as pointers to copies of the
	// model without its relations. Before is nil for a new row, After for a deleted one.
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

// Recorded reports whether changes of the rows are recorded: by the history of their table, or by the
// Recorder of the API.
func (r *Resource) Recorded() bool {
	return r.API.Recorder != nil || r.API.Histories[r.Table.Name] != nil
}

// Record records a change of a row.
func (r *Resource) Record(c *call.Call, change Change) error {
	for _, recorder := range []Recorder{r.API.Histories[r.Table.Name], r.API.Recorder} {
		if recorder == nil {
			continue
		}
		if err := recorder.Record(c, change); err != nil {
			return err
		}
	}
	return nil
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

// recordStored records a row that was inserted or updated, as it is stored. If
// before is not valid, the row was inserted. Without a recorder it does nothing.
func (r *Resource) recordStored(c *call.Call, before, after reflect.Value) error {
	if !r.Recorded() {
		return nil
	}
	change := Change{ViewSet: r.Path, Verb: call.VerbCreate, Key: r.Pk.Value(after).Interface(), After: after.Addr().Interface()}
	if before.IsValid() {
		change.Verb, change.Before = call.VerbUpdate, before.Addr().Interface()
	}
	return r.Record(c, change)
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
