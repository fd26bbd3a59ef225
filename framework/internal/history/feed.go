package history

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// Follow reads the entries of all rows after a place, at most some of them, and returns the place of the
// last one. It begins at the start with the zero place.
//
// On PostgreSQL it leaves out entries that are not safe yet: a transaction that still runs may store an entry
// that belongs before them, and a reader that went on behind it would miss this entry. An entry is safe when every
// transaction below its safe_at has ended. The order is not that of the transactions' ids, because a transaction that waits
// for a row has its id already, and changes the row after others with greater ids. SQLite has one writer at a time, so
// its order is that of the commits.
func Follow(ctx context.Context, db *sqldb.DB, after Place, most int64) ([]Event, Place, error) {
	if most < 1 {
		return nil, after, naming.Sentence("a page of at most %d entries has no entry; read at least 1", most)
	}
	end := "(safe_at, seq) > (?, ?) ORDER BY safe_at, seq LIMIT ?"
	if db.Kind() == sqldb.PostgreSQL {
		end = "safe_at <= pg_snapshot_xmin(pg_current_snapshot())::text::bigint AND " + end
	}
	events, err := read(ctx, db.Session(), bun.SafeQuery(end, sqldb.Param(after.SafeAt), sqldb.Param(after.Seq), sqldb.Param(most)))
	if err != nil || len(events) == 0 {
		return nil, after, err
	}
	return events, events[len(events)-1].place, nil
}

// FollowFrom is [Follow] from a place as text. It returns the place after the last event, as text.
func FollowFrom(ctx context.Context, db *sqldb.DB, after string, most int) (events []Event, place string, err error) {
	from, err := ReadPlace(after)
	if err != nil {
		return nil, after, err
	}
	events, to, err := Follow(ctx, db, from, int64(most))
	if err != nil || len(events) == 0 {
		return nil, after, err
	}
	return events, to.Text(), nil
}

// HeldBack is the age of the oldest transaction that holds entries back, 0 without one.
func HeldBack(ctx context.Context, db *sqldb.DB) (time.Duration, error) {
	if db.Kind() == sqldb.SQLite {
		return 0, nil
	}
	rows, err := db.Session().Query(ctx, bun.SafeQuery( //nolint:rowserrcheck // One checks it
		"SELECT coalesce(extract(epoch FROM clock_timestamp() - least("+
			"(SELECT min(xact_start) FROM pg_stat_activity WHERE backend_xid IS NOT NULL), (SELECT min(prepared) FROM pg_prepared_xacts))), 0)::float8"))
	if err != nil {
		return 0, err
	}
	var seconds float64
	err = cell.One(rows, &seconds)
	return time.Duration(seconds * float64(time.Second)), err
}

// Forget removes the values from the entries of a row, and keeps who changed it and when. It returns how
// many entries had values.
func Forget(ctx context.Context, db *sqldb.DB, viewset, key string) (n int64, err error) {
	err = db.Retry(ctx, func() error {
		result, err := db.Session().Exec(ctx, bun.SafeQuery(
			"UPDATE row_history SET changes = NULL WHERE viewset = ? AND row_key = ? AND changes IS NOT NULL", sqldb.Param(viewset), sqldb.Param(key)))
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}

// Text is the place as a text that [ReadPlace] reads.
func (p Place) Text() string {
	return fmt.Sprintf("[%d,%d]", p.SafeAt, p.Seq)
}

// ReadPlace reads the text of a place; "" is the start.
func ReadPlace(text string) (p Place, err error) {
	if text == "" {
		return p, nil
	}
	var numbers []int64
	if json.Unmarshal([]byte(text), &numbers) != nil || len(numbers) != 2 {
		return p, naming.Sentence("%q is no place in a history; use one that an earlier call returned, or begin with an empty one", text)
	}
	return Place{numbers[0], numbers[1]}, nil
}
