package frameworktest

import (
	"context"
	"log/slog"
	"net/http"

	"trestle.example/framework"
	"trestle.example/framework/internal/table"
)

// A Change is one row that a write of the framework changed.
type Change = table.Change

// RecordChanges returns an observer for framework.Config.Observers of a test. It calls record
// for each row that the framework changes: by the verbs that accept an input, by Deletes, and by
// Save and Insert in functions. Rows that a function changes with statements of its own are not
// recorded. Of several such observers of an API, only the first records.
//
// record runs inside the transaction of the write. If it returns an error, the write is rolled
// back. If the transaction runs again, record is called again. A test that counts changes
// therefore writes them to a table, by the call's DB.
func RecordChanges(record func(c *framework.Call, change Change) error) framework.Observer {
	return changeRecorder{record}
}

type changeRecorder struct {
	record func(*framework.Call, Change) error
}

// Begin implements [framework.Observer].
func (r changeRecorder) Begin(ctx context.Context, _ *http.Request) context.Context { return ctx }

// End implements [framework.Observer].
func (r changeRecorder) End(context.Context, framework.Outcome) []slog.Attr { return nil }

// Record implements [table.Recorder].
func (r changeRecorder) Record(c *framework.Call, change Change) error { return r.record(c, change) }
