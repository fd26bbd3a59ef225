package sqldb

import (
	"context"
	"time"

	"github.com/uptrace/bun"
)

// Now returns the time of the database. For SQLite that is the clock of this process.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	if db.Kind() == SQLite {
		return time.Now(), nil
	}
	var now bun.NullTime
	found, err := db.Session().Read(ctx, bun.SafeQuery(`SELECT clock_timestamp()`))
	if err == nil {
		err = found.Scan(0, &now)
	}
	return now.Time, err
}
