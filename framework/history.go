package framework

import (
	"context"
	"time"

	"trestle.example/framework/internal/audit"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/history"
	"trestle.example/framework/sqldb"
)

// History declares that each change of a row is recorded in the transaction of the change: who made it, when, by which
// request, and the old and new values of the fields that changed. GET {path}/{id}/history/ shows the entries of a
// row, the newest first, to callers who may see the row and have Permission.
//
// It records the changes of the table by the verbs of every viewset of the API, by requests for several rows, lists of structs in inputs,
// toggles, and by [Save], [Insert] and [Remove]. Statements of a function's own are not recorded, and neither are links of many-to-many
// relations, and rows that the database changes by itself, as with ON DELETE CASCADE. One viewset of a table declares the history.
//
// The values are those of the fields that a view of a verb shows as they are stored. Columns that no such view shows are never
// recorded, nor are answers of AnswersSecret. A caller needs the permission of Retrieve too, and does not see the values of fields
// that [Sees] hides. Entries cannot be changed or deleted; [ForgetHistory] removes the values of a row. It needs the table of [Migrations].
type History struct {
	// Permission says who may read the history. Without it, nothing is recorded.
	Permission Permission
	// Except lists fields whose values are not recorded. Defaults to none.
	Except []string
}

func (h History) declare() declare.History { return declare.History(h) }

// A HistoryEvent is an entry of a [History], with the viewset and the key of its row.
type HistoryEvent = history.Event

// FollowHistory reads entries of all rows after a place, at most the given number, the oldest first, and returns the place of the last
// one for the next call. It begins at the start with an empty place. A reader that calls it again and again gets every
// entry exactly once, also while other requests change rows. It checks no permission. It leaves out entries that a transaction that still runs may have
// to precede. It is safe for concurrent use. A text that is no place is an error.
func FollowHistory(ctx context.Context, db *sqldb.DB, after string, most int) (events []HistoryEvent, place string, err error) {
	return history.FollowFrom(ctx, db, after, most)
}

// HistoryHeldBack is how long the oldest transaction has run that holds entries back from [FollowHistory]: one that writes, in any
// database of the PostgreSQL server, or that is prepared. It is 0 without one, and always on SQLite. Transactions of other roles count
// only for a role with the rights of pg_read_all_stats.
func HistoryHeldBack(ctx context.Context, db *sqldb.DB) (time.Duration, error) {
	return history.HeldBack(ctx, db)
}

// ForgetHistory removes the values from the entries of a row, and keeps who changed it and when. From entries of [Reads], it removes the paths, which
// may have values as parameters, and keeps who read the row and when. The viewset is the path of the one that
// declares the history or the reads, and the key is the primary key of the row as text. It returns how many entries had values.
func ForgetHistory(ctx context.Context, db *sqldb.DB, viewset, key string) (int64, error) {
	return audit.ForgetRow(ctx, db, viewset, key)
}
