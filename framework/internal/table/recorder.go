package table

import (
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
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

// A RecordedTable is a table whose changes a viewset records.
type RecordedTable struct{ ViewSet, Table string }

// Recording lists the tables whose changes viewsets record, and the viewsets.
func (a *Registry) Recording() (all []RecordedTable) {
	for _, r := range a.Resources {
		if r.Declaration.History.Permission != nil {
			all = append(all, RecordedTable{r.Path, r.Table.Name})
		}
	}
	return all
}

// Auditing lists the tables whose reads are recorded, with the paths of the viewsets that declare that, in order of registration.
func (a *Registry) Auditing() (all []RecordedTable) {
	for _, r := range a.Resources {
		if r.Declaration.Audit.Permission != nil {
			all = append(all, RecordedTable{r.Path, r.Table.Name})
		}
	}
	return all
}

// Recorded reports whether changes of the rows are recorded: by the history of their table, or by the
// Recorder of the API.
func (r *Resource) Recorded() bool {
	return r.API.Recorder != nil || r.API.Histories[r.Table.Name] != nil
}

// Observed reports whether the Recorder of the API records the changes of the rows. It runs inside of the
// transaction of the change.
func (r *Resource) Observed() bool { return r.API.Recorder != nil }

// Counts is the column that counts the changes of a row in every viewset of the table, "" for none.
func (r *Resource) Counts() string { return r.API.Counting[r.Table.Name] }
