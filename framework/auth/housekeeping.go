package auth

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

const (
	purgeEvery  = 60              // minutes
	purgeAtOnce = 1000            // rows in one transaction
	lastFlush   = 5 * time.Second // the time limit of the flush when the server stops
)

// A housekeeper has rows that expire. If it also records the use of credentials, it is a
// flusher.
type housekeeper interface {
	// Purge deletes the expired rows and counts them.
	Purge(ctx context.Context, s *sqldb.Session) (int64, error)
}

// A flusher holds uses of its credentials that are not stored yet.
type flusher interface {
	Flush(ctx context.Context, db *sqldb.DB) error
}

var (
	_ housekeeper = (*Sessions)(nil)
	_ housekeeper = (*Tokens)(nil)
	_ housekeeper = (*JWT)(nil)
	_ housekeeper = linkKeeper{}
	_ flusher     = (*Sessions)(nil)
	_ flusher     = (*Tokens)(nil)
)

// runHousekeeping flushes every minute and purges every hour until ctx ends. The first purge is
// after one minute. When ctx ends, it flushes once more, within lastFlush, and returns. It
// passes errors and panics to report and continues, see [attempt].
func runHousekeeping(ctx context.Context, db *sqldb.DB, report func(error), all ...housekeeper) {
	ticker := time.NewTicker(lastUseInterval)
	defer ticker.Stop()
	runHousekeepingAt(ctx, db, ticker.C, report, all...)
}

// runHousekeepingAt is runHousekeeping with another clock. It flushes at every tick, and purges at
// the first tick and at every sixtieth tick after it.
func runHousekeepingAt(ctx context.Context, db *sqldb.DB, ticks <-chan time.Time, report func(error), all ...housekeeper) {
	for turn := 0; ; turn++ {
		select {
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			flushAll(ending, db, report, all)
			return
		case <-ticks:
			flushAll(ctx, db, report, all)
			if turn%purgeEvery == 0 {
				purgeAll(ctx, db, report, all)
			}
		}
	}
}

func flushAll(ctx context.Context, db *sqldb.DB, report func(error), all []housekeeper) {
	for _, one := range all {
		if one, ok := one.(flusher); ok {
			attempt(ctx, report, func() error { return one.Flush(ctx, db) })
		}
	}
}

func purgeAll(ctx context.Context, db *sqldb.DB, report func(error), all []housekeeper) {
	for _, one := range all {
		attempt(ctx, report, func() error {
			_, err := one.Purge(ctx, db.Session())
			return err
		})
	}
}

// attempt runs do and reports its error. After ctx was cancelled it reports no error, because
// the server stops and the last flush is still to come. It turns a panic, which would end the
// process, into an error and always reports it.
func attempt(ctx context.Context, report func(error), do func() error) {
	defer func() {
		if p := recover(); p != nil {
			report(fmt.Errorf("auth: a flush or a purge panicked: %v\n%s", p, debug.Stack()))
		}
	}()
	if err := do(); err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		report(err)
	}
}

// expiredRows selects the expired rows of a table: the time in the column is not after until.
// An index begins with the column.
type expiredRows struct {
	table, column bun.Ident
	until         time.Time
}

// purge deletes expired rows and returns their number. If a batch fails, it returns the
// error with the number of the rows of the batches before it. On the pool every
// batch is a transaction of its own, so that a large backlog locks few rows at a time.
func purge(ctx context.Context, s *sqldb.Session, batch int64, kinds ...expiredRows) (int64, error) {
	total := int64(0)
	for _, rows := range kinds {
		for n := batch; n == batch; total += n {
			err := within(ctx, s, func(ctx context.Context, s *sqldb.Session) (err error) {
				n, err = rows.purge(ctx, s, batch)
				return err
			})
			if err != nil {
				return total, fmt.Errorf("auth: the expired rows of %s could not be deleted, after %d rows: %w", rows.table, total, err)
			}
		}
	}
	return total, nil
}

// purge deletes a batch, the oldest rows first. The condition is in the statement twice,
// because another transaction may extend a selected row meanwhile, such as a session in
// use. The DELETE checks the current row.
func (e expiredRows) purge(ctx context.Context, s *sqldb.Session, batch int64) (int64, error) {
	const over = "? <= ?"
	some := s.IDB().NewSelect().TableExpr("?", e.table).Column("id").
		Where(over, e.column, e.until).OrderExpr("?", e.column).Limit(batch)
	return countChanged(ctx, s, s.IDB().NewDelete().TableExpr("?", e.table).
		Where("id IN (?)", some).Where(over, e.column, e.until))
}
