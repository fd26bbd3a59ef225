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
	purgeEvery  = 60              // in turns of a minute
	purgeAtOnce = 1000            // rows in one transaction
	lastFlush   = 5 * time.Second // for what a stopping server still knows
)

// A housekeeper has rows that come to their end. One that also has uses to
// write down is a flusher.
type housekeeper interface {
	// Purge deletes those that have, and counts them.
	Purge(ctx context.Context, s *sqldb.Session) (int64, error)
}

// A flusher has uses of its credentials to write down.
type flusher interface {
	Flush(ctx context.Context, db *sqldb.DB) error
}

var (
	_ housekeeper = (*Sessions)(nil)
	_ housekeeper = (*Tokens)(nil)
	_ housekeeper = (*JWT)(nil)
	_ flusher     = (*Sessions)(nil)
	_ flusher     = (*Tokens)(nil)
)

// keepHouse lets all flush every minute and purge every hour, the first time
// after a minute, until ctx ends; then it lets them flush once more and
// returns. Errors, of which a panic is one, go to report and end nothing.
func keepHouse(ctx context.Context, db *sqldb.DB, report func(error), all ...housekeeper) {
	ticker := time.NewTicker(seenEvery)
	defer ticker.Stop()
	keepHouseAt(ctx, db, ticker.C, report, all...)
}

// keepHouseAt is keepHouse by another clock, which ticks every minute.
func keepHouseAt(ctx context.Context, db *sqldb.DB, ticks <-chan time.Time, report func(error), all ...housekeeper) {
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

// attempt reports the error of what it does, unless that only says that the
// server stops: the last flush is still to come. Nobody else would take a panic,
// which would end the process.
func attempt(ctx context.Context, report func(error), do func() error) {
	defer func() {
		if p := recover(); p != nil {
			report(fmt.Errorf("auth: writing down and deleting ended in a panic: %v\n%s", p, debug.Stack()))
		}
	}()
	if err := do(); err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		report(err)
	}
}

// ended are the rows of a table that nobody can use any more, because a time
// in them has come. The column is indexed, or few rows are there to look through.
type ended struct {
	table, column bun.Ident
	until         time.Time
}

// purge deletes rows that have ended and counts them, also if it fails on the
// way. On the pool every batch is a transaction of its own, so that a large
// backlog locks few rows at a time.
func purge(ctx context.Context, s *sqldb.Session, batch int64, kinds ...ended) (int64, error) {
	total := int64(0)
	for _, rows := range kinds {
		for n := batch; n == batch; total += n {
			err := within(ctx, s, func(ctx context.Context, s *sqldb.Session) (err error) {
				n, err = rows.purge(ctx, s, batch)
				return err
			})
			if err != nil {
				return total, fmt.Errorf("auth: what has ended in %s could not be deleted, after %d rows: %w", rows.table, total, err)
			}
		}
	}
	return total, nil
}

// purge deletes a batch, the oldest first. The condition stands twice: a row
// that another transaction prolongs meanwhile, as a session that is used, is
// in the batch as it was, and is asked again as it is.
func (e ended) purge(ctx context.Context, s *sqldb.Session, batch int64) (int64, error) {
	const over = "? <= ?"
	some := s.IDB().NewSelect().TableExpr("?", e.table).Column("id").
		Where(over, e.column, e.until).OrderExpr("?", e.column).Limit(batch)
	return changed(ctx, s, s.IDB().NewDelete().TableExpr("?", e.table).
		Where("id IN (?)", some).Where(over, e.column, e.until))
}
